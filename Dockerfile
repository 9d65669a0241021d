# One image for every service: the static program, and the authorities that model servers' certificates are checked
# against. `make image` builds it; the folder target/image is its context.
FROM scratch
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY assay /assay
USER 65532:65532
ENTRYPOINT ["/assay"]
