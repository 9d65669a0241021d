//! What tests share: fixtures that may be absent, external servers, and a model server that plays a script.
//!
//! Nothing here is ever a default of the product; it is listed under dev-dependencies only.

pub mod external;
pub mod model_server;
