//! The cluster in which a history can take place: three servers of NATS, with a link from each gateway to each server.

use super::steps::Fault;
use crate::link::Link;
use crate::nats::Servers;

/// How many servers there are.
pub const SERVERS: usize = 3;
/// The gateway that drives the agent, and one that has no agent.
pub const NAMES: [&str; 2] = ["driver", "other"];

pub struct Cluster {
    servers: Servers,
    /// Of each gateway, to each server.
    links: [Vec<Link>; 2],
    /// Whether there may be a fault.
    pub faulty: bool,
}

impl Cluster {
    pub async fn start() -> Self {
        let servers = Servers::start(SERVERS).await;
        let links = [links_to(&servers).await, links_to(&servers).await];
        Self { servers, links, faulty: false }
    }

    /// What a gateway is started with.
    pub fn arguments(&self, gateway: usize) -> [String; 4] {
        let addresses: Vec<_> =
            self.links[gateway].iter().map(|link| format!("nats://{}", link.address)).collect();
        ["--name".to_owned(), NAMES[gateway].to_owned(), "--nats".to_owned(), addresses.join(",")]
    }

    pub async fn disturb(&mut self, fault: Fault) {
        match fault {
            Fault::KillServer(server) => self.servers.kill(server),
            Fault::StopServer(server) => self.servers.stop(server, true),
            Fault::Away { gateway, still } => {
                self.links[gateway].iter().for_each(if still { Link::still } else { Link::cut });
            }
            // Whoever calls has to wait, and that is all.
            Fault::MoveLeader => return self.servers.move_leader().await,
        }
        self.faulty = true;
    }

    /// Everything runs and reaches everything.
    pub async fn mend(&mut self) {
        self.servers.mend().await;
        for links in &self.links {
            for (server, link) in links.iter().enumerate() {
                link.lead_to(self.servers.address(server).expect("it runs"));
                link.mend();
            }
        }
        self.faulty = false;
    }
}

async fn links_to(servers: &Servers) -> Vec<Link> {
    let mut links = Vec::new();
    for server in 0..servers.count() {
        let link = Link::new().await;
        link.lead_to(servers.address(server).expect("it runs"));
        links.push(link);
    }
    links
}
