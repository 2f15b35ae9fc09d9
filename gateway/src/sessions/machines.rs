//! The port behind which the other machines of a cluster are.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use super::agent::CallFuture;
use crate::health::Report;
use crate::metrics::ClusterSnapshot;
use crate::rpc::Call;

/// The machines of a cluster.
pub trait Machines: fmt::Debug + Send + Sync {
    /// This machine's name.
    fn name(&self) -> &str;

    /// All machines for the board, as a list.
    fn list(&self) -> Value;

    /// The other machines that can make sessions now.
    fn creating(&self) -> Vec<String>;

    /// Has another machine carry out a call that is about no session.
    fn call<'a>(self: Arc<Self>, machine: &'a str, call: &'a Call) -> CallFuture<'a>;

    /// What is counted of this gateway's part of the cluster, since this was asked last.
    fn take_counts(&self) -> ClusterSnapshot;

    /// What is wrong with this gateway's part of the cluster.
    fn health(&self) -> watch::Receiver<Report>;
}
