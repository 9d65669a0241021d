//! What tests share: fixtures that may be absent, external servers, a model server that plays a
//! script, and a proxy that switches single methods of a service off.
//!
//! Nothing here is ever a default of the product; it is listed under dev-dependencies only.

pub mod external;
pub mod fault_proxy;
pub mod model_server;
pub mod otlp_sink;
