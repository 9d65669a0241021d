//! What tests share: fixtures that may be absent, external servers, servers that play a script, and proxies that
//! switch single methods of a service off or put TLS and credentials in front of a server.
//!
//! Nothing here is ever a default of the product; it is listed under dev-dependencies only.

pub mod external;
pub mod fault_proxy;
pub mod model_server;
pub mod otlp_sink;
pub mod script_server;
pub mod secure_front;
