//! Delivery of spans by the OpenTelemetry protocol, over gRPC or HTTP, apart from the threads that answer requests.

use std::collections::HashMap;
use std::time::Duration;

use opentelemetry_otlp::{
    SpanExporter as OtlpExporter, WithExportConfig as _, WithHttpConfig as _, WithTonicConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use tokio::runtime::Runtime;
use tonic::metadata::{MetadataKey, MetadataMap};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

use crate::Error;
use crate::options::{Otlp, Protocol};

/// An exporter and what it runs on.
pub(crate) struct Delivery {
    pub(crate) exporter: Timed,
    /// Runs the connection of a gRPC exporter; must live as long as the exporter.
    pub(crate) runtime: Option<Runtime>,
}

/// An exporter that never takes longer than its time.
#[derive(Debug)]
pub(crate) struct Timed {
    inner: OtlpExporter,
    limit: Duration,
    /// Where the timer runs; none for HTTP, whose client keeps the time itself.
    timer: Option<tokio::runtime::Handle>,
}

/// An exporter for the given settings, which must have been checked.
///
/// # Errors
/// If a file cannot be read or a setting does not fit; it is named. A collector that cannot be reached is no error.
pub(crate) fn delivery(options: &Otlp) -> Result<Delivery, Error> {
    let ca = match &options.ca_file {
        Some(path) => Some(std::fs::read(path).map_err(|error| Error::Setting {
            setting: "otlp.ca_file",
            text: format!("{}: {error}", path.display()),
        })?),
        None => None,
    };
    match options.protocol {
        Protocol::Grpc => grpc(options, ca),
        Protocol::Http => http(options, ca),
    }
}

fn wrong(setting: &'static str) -> impl Fn(String) -> Error {
    move |text| Error::Setting { setting, text }
}

fn grpc(options: &Otlp, ca: Option<Vec<u8>>) -> Result<Delivery, Error> {
    let endpoint = wrong("otlp.endpoint");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("assay-otlp")
        .enable_all()
        .build()
        .map_err(|error| endpoint(error.to_string()))?;
    let mut metadata = MetadataMap::new();
    for (name, value) in options.headers.pairs().unwrap_or_default() {
        let field = wrong("otlp.headers");
        let key = MetadataKey::from_bytes(name.to_ascii_lowercase().as_bytes())
            .map_err(|_| field(format!("{name:?} is no name of a header")))?;
        let value = value.parse().map_err(|_| field(format!("the value of {name} cannot be sent")))?;
        metadata.insert(key, value);
    }
    let mut channel = Endpoint::from_shared(options.endpoint.clone())
        .map_err(|error| endpoint(error.to_string()))?
        .connect_timeout(options.timeout())
        .timeout(options.timeout())
        .keep_alive_while_idle(true)
        .http2_keep_alive_interval(Duration::from_secs(30));
    if let Some(ca) = ca {
        let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(ca));
        channel = channel.tls_config(tls).map_err(|error| wrong("otlp.ca_file")(error.to_string()))?;
    }
    let inner = {
        let _inside = runtime.enter();
        OtlpExporter::builder()
            .with_tonic()
            .with_channel(channel.connect_lazy())
            .with_metadata(metadata)
            .with_timeout(options.timeout())
            .build()
            .map_err(|error| endpoint(error.to_string()))?
    };
    let timer = Some(runtime.handle().clone());
    Ok(Delivery { exporter: Timed { inner, limit: options.timeout(), timer }, runtime: Some(runtime) })
}

fn http(options: &Otlp, ca: Option<Vec<u8>>) -> Result<Delivery, Error> {
    // One TLS provider for every client in the process; a second installation is harmless.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let endpoint = wrong("otlp.endpoint");
    let timeout = options.timeout();
    // The blocking client keeps a runtime of its own and must not be made inside another one.
    let client = std::thread::spawn(move || {
        let mut builder = reqwest::blocking::Client::builder()
            .timeout(timeout)
            .connect_timeout(timeout)
            .redirect(reqwest::redirect::Policy::none());
        if let Some(ca) = ca {
            builder = builder.tls_certs_only(reqwest::Certificate::from_pem_bundle(&ca)?);
        }
        builder.build()
    })
    .join()
    .map_err(|_| endpoint("no client can be made".into()))?
    .map_err(|error| endpoint(error.to_string()))?;
    let headers: HashMap<String, String> = options.headers.pairs().unwrap_or_default().into_iter().collect();
    let inner = OtlpExporter::builder()
        .with_http()
        .with_http_client(client)
        .with_protocol(opentelemetry_otlp::Protocol::HttpBinary)
        .with_endpoint(options.http_endpoint())
        .with_headers(headers)
        .with_timeout(timeout)
        .build()
        .map_err(|error| endpoint(error.to_string()))?;
    Ok(Delivery { exporter: Timed { inner, limit: timeout, timer: None }, runtime: None })
}

impl SpanExporter for Timed {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let Some(timer) = &self.timer else { return self.inner.export(batch).await };
        let late = {
            let _inside = timer.enter();
            tokio::time::sleep(self.limit)
        };
        tokio::select! {
            biased;
            done = self.inner.export(batch) => done,
            () = late => Err(OTelSdkError::Timeout(self.limit)),
        }
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn shutdown(&self) -> OTelSdkResult {
        self.inner.shutdown()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}
