# Two commands matter: `make run` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
CARGO ?= cargo
ASSAY := target/debug/assay

.PHONY: help run test test-elasticsearch test-limits test-processes check fmt fix-fmt fix-lint fix-golden proto diagrams bench manifests fix-manifests image test-cluster deny fuzz clean

help: ## This list
	@grep -hE '^[a-z -]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

run: ## Build, fetch the embedding model where a hub can be reached, index the guide, ask a first question, serve
	@$(CARGO) build --workspace --locked
	@$(ASSAY) models pull --optional
	@$(ASSAY) up --demo

test: ## Every test
	$(CARGO) test --workspace --locked --no-fail-fast

test-elasticsearch: ## Both backends against a real Elasticsearch (ASSAY_TEST_ES_URL, else one is started)
	tools/elasticsearch.sh $(CARGO) test --workspace --locked --no-fail-fast --test backends --test client --test ports --test processes

test-limits: ## Every grammar at its bounds in a release build, on the stack that the parser gives it
	$(CARGO) test --release --locked -p assay-parser --test worst

test-processes: ## The behaviour suite and every failure over separate processes on loopback, with certificates
	$(CARGO) build --locked --bin assay
	$(CARGO) test --locked -p assay-behaviour --no-fail-fast --test processes --test faults --test cancellation --test crash --test trace

check: ## What the tests do not see: format, lints, dependencies, protocol
	$(CARGO) fmt --all --check || { echo "run: make fix-fmt"; exit 1; }
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings || { echo "run: make fix-lint"; exit 1; }
	@$(MAKE) --no-print-directory deny proto

fmt fix-fmt: ## Format everything
	$(CARGO) fmt --all

fix-lint: ## Apply what clippy can apply
	$(CARGO) clippy --workspace --all-targets --fix --allow-dirty --allow-staged

fix-golden: ## Write golden files anew; read them before you commit
	INSTA_UPDATE=always $(CARGO) test --workspace --locked --no-fail-fast

diagrams: ## Write the generated parts of docs/ anew: call graph, settings, HTTP API, command reference, codes
	ASSAY_WRITE=1 $(CARGO) test --locked -p assay-behaviour --test call_graph --test configuration -p assay-avap --test guide --test editors -p assay-telemetry --test page -p assay-gateway --test openapi

bench: ## Whole requests, embedded and in separate processes: p50, p99 and the share of each service (release build)
	RUSTFLAGS='-C target-feature=+crt-static' $(CARGO) build --release --locked --target x86_64-unknown-linux-gnu -p assay -p assay-load
	$(dir $(STATIC))assay-bench --assay $(STATIC)

manifests: ## What is true of the manifests: typed, safe, as the services' specifications say
	$(CARGO) test --locked -p assay-repo-tests --test manifests
	@if command -v kubernetes-validate >/dev/null && command -v kubectl >/dev/null; then \
	  for set in k8s/overlays/* k8s/tests/everything; do kubectl kustomize $$set >target/manifests.yaml \
	  && kubernetes-validate --strict --quiet --no-warn -k 1.36 target/manifests.yaml || exit 1; echo "$$set: valid for Kubernetes 1.36"; done; \
	else echo "SKIPPED: kubernetes-validate or kubectl is not installed (pip install kubernetes-validate)"; fi

fix-manifests: ## Write the parts of k8s/ that the specifications decide anew
	ASSAY_WRITE=1 $(CARGO) test --locked -p assay-repo-tests --test manifests written

STATIC := target/x86_64-unknown-linux-gnu/release/assay
image: ## The image for the cluster as target/assay.tar: one static binary, no registry
	RUSTFLAGS='-C target-feature=+crt-static' $(CARGO) build --release --locked --target x86_64-unknown-linux-gnu -p assay
	k8s/image.sh $(STATIC)

test-cluster: ## The manifests on a real Kubernetes, if one has been prepared; as root also on a real node
	$(CARGO) build --locked -p assay
	k8s/tests/cluster.sh
	k8s/tests/cluster.sh --real

SECONDS ?= 60
fuzz: ## Every fuzz target for so many SECONDS; builds beside the workspace, for some ten minutes the first time
	tools/fuzz.sh $(SECONDS)

deny: ## Licences, sources, banned crates, known advisories (ADVISORY_DB=FOLDER is a copy of their database)
	@CARGO=$(CARGO) tools/deny.sh

proto: ## Lint the protocol
	@if command -v buf >/dev/null; then buf lint proto && echo "protocol: lint clean"; \
	else echo "SKIPPED: buf is not installed (npm install --global @bufbuild/buf)"; fi

clean: ## Remove what was built; data in .assay stays
	$(CARGO) clean
