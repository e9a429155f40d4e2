//! The registry of connections. It only counts; the connections themselves are elsewhere.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll};

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::ConnectionLimits;
use super::takeover::Takeover;
use crate::client_address::{TrustedProxies, counted_as};
use crate::error::{ApiError, Code};
use roost_platform::ids::UserId;

/// The owner of a proven connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Proof {
    Person(UserId),
    Machine,
    /// A person behind a trusted proxy.
    Proxy,
    /// An operator, by the token of the operators' listener.
    Operator,
}

/// Why a connection with a valid credential is still refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// The person has the most connections that one person may have.
    Person,
    /// People use all connections that are not reserved for machines.
    People,
}

impl IntoResponse for Full {
    /// Answers 503 and closes the connection, because others wait for its place.
    fn into_response(self) -> Response {
        let detail = match self {
            Self::Person => {
                "You have as many open connections as one person may have. Close some pages or programs, then try again."
            }
            Self::People => {
                "As many people are connected as this gateway has room for. Try again in a moment."
            }
        };
        let error = ApiError::new(Code::Unavailable)
            .retry_after(10)
            .detail(detail);
        let mut response = error.into_response();
        response
            .headers_mut()
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

/// The decision about a new connection.
#[derive(Debug)]
pub enum Admission {
    Taken(Connection),
    /// Proven connections use all places.
    Refused,
}

/// The connections of one listener. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Connections(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: ConnectionLimits,
    /// Many clients share the address of a proxy.
    proxies: TrustedProxies,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    next: u64,
    all: usize,
    /// Oldest first.
    unproven: BTreeMap<u64, Unproven>,
    addresses: HashMap<String, usize>,
    people: HashMap<UserId, usize>,
    of_people: usize,
}

#[derive(Debug)]
struct Unproven {
    /// Absent for a proxy's connection.
    address: Option<String>,
    ended: CancellationToken,
}

impl Connections {
    /// With these limits. The limit per address does not apply to trusted proxies.
    pub fn new(limits: ConnectionLimits, proxies: TrustedProxies) -> Self {
        Self(Arc::new(Shared {
            limits,
            proxies,
            held: Mutex::default(),
        }))
    }

    /// Registers a new connection. It may end an unproven one to make room. `plain`: an answer may take its socket.
    pub fn admit(&self, from: IpAddr, plain: bool) -> Admission {
        let limits = self.0.limits;
        let is_proxy = self.0.proxies.trusts(from.to_canonical());
        let address = (!is_proxy).then(|| counted_as(from));
        let mut held = self.lock();
        if let Some(address) = &address
            && held.addresses.get(address).copied().unwrap_or(0) >= limits.unproven_per_address
        {
            held.end_oldest(Some(address));
        }
        if held.unproven.len() >= limits.unproven || held.all >= limits.all {
            held.end_oldest(None);
        }
        if held.all >= limits.all {
            metrics::counter!("roost_http_connections_refused_total").increment(1);
            return Admission::Refused;
        }
        let id = held.next;
        held.next += 1;
        held.all += 1;
        let ended = CancellationToken::new();
        if let Some(address) = &address {
            *held.addresses.entry(address.clone()).or_default() += 1;
        }
        let unproven = Unproven {
            address,
            ended: ended.clone(),
        };
        held.unproven.insert(id, unproven);
        Admission::Taken(Connection(Arc::new(Place {
            connections: self.clone(),
            id,
            is_proxy,
            ended,
            proof: OnceLock::new(),
            takeover: plain.then(Takeover::default),
        })))
    }

    /// The number of connections, and how many of them are unproven.
    pub fn counts(&self) -> (usize, usize) {
        let held = self.lock();
        (held.all, held.unproven.len())
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Ends the oldest unproven connection, of this address or of all. Its place is free at once. Its descriptor is
    /// closed when its task is woken.
    fn end_oldest(&mut self, of: Option<&str>) {
        let oldest = self
            .unproven
            .iter()
            .find(|(_, one)| of.is_none_or(|address| one.address.as_deref() == Some(address)))
            .map(|(id, _)| *id);
        if let Some(one) = oldest.and_then(|id| self.take_unproven(id)) {
            self.all -= 1;
            one.ended.cancel();
            metrics::counter!("roost_http_connections_ended_total").increment(1);
        }
    }

    fn take_unproven(&mut self, id: u64) -> Option<Unproven> {
        let one = self.unproven.remove(&id)?;
        if let Some(address) = &one.address
            && let Some(count) = self.addresses.get_mut(address)
        {
            *count -= 1;
            if *count == 0 {
                self.addresses.remove(address);
            }
        }
        Some(one)
    }
}

/// One connection. Its place becomes free when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct Connection(Arc<Place>);

#[derive(Debug)]
struct Place {
    connections: Connections,
    id: u64,
    /// It carries requests of many people.
    is_proxy: bool,
    ended: CancellationToken,
    /// Written under the lock of `connections`.
    proof: OnceLock<Proof>,
    /// Absent with TLS.
    takeover: Option<Takeover>,
}

impl Connection {
    /// Fires when the connection must end.
    pub fn ended(&self) -> &CancellationToken {
        &self.0.ended
    }

    /// Marks the connection as proven, after a request showed a valid credential. Only the first call counts.
    ///
    /// # Errors
    /// [`Full`]; the connection stays unproven.
    pub fn prove(&self, proof: Proof) -> Result<(), Full> {
        if self.is_proven() {
            return Ok(());
        }
        let proof = match (proof, self.0.is_proxy) {
            (Proof::Person(_), true) => Proof::Proxy,
            (proof, _) => proof,
        };
        let connections = &self.0.connections;
        let limits = connections.0.limits;
        let mut held = connections.lock();
        if let Proof::Person(person) = proof {
            if held.people.get(&person).copied().unwrap_or(0) >= limits.per_person {
                return Err(Full::Person);
            }
            if held.of_people >= limits.people {
                return Err(Full::People);
            }
        }
        // It was ended a moment ago and has lost its place, or another request on it was quicker.
        if held.take_unproven(self.0.id).is_none() {
            return Ok(());
        }
        // This is the only writer: only the caller that removes the place from `unproven` gets here.
        let _ = self.0.proof.set(proof);
        if let Proof::Person(person) = proof {
            *held.people.entry(person).or_default() += 1;
            held.of_people += 1;
        }
        Ok(())
    }

    /// Whether the answer of a proven request may take the socket: not with TLS.
    pub fn can_be_taken(&self) -> bool {
        self.0.takeover.is_some() && self.is_proven()
    }

    /// Takes the socket from the HTTP server. It is ready when everything before the answer's body is written. The first
    /// poll must come from the body itself, and the body must fail after it has the socket.
    pub fn take_socket(&self, cx: &Context<'_>) -> Poll<TcpStream> {
        match self.takeover() {
            Some(takeover) => takeover.take(cx),
            None => Poll::Pending,
        }
    }

    /// Leaves the socket to the HTTP server: the body was dropped before it had the socket.
    pub fn leave_socket(&self) {
        if let Some(takeover) = self.takeover() {
            takeover.forget();
        }
    }

    pub(super) fn takeover(&self) -> Option<&Takeover> {
        self.0.takeover.as_ref()
    }

    /// Whether a request on it showed a valid credential.
    pub fn is_proven(&self) -> bool {
        self.0.proof.get().is_some()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let proof = self.proof.get().copied();
        let mut held = self.connections.lock();
        let was_unproven = held.take_unproven(self.id).is_some();
        if was_unproven || proof.is_some() {
            held.all -= 1;
        }
        if let Some(Proof::Person(person)) = proof {
            held.of_people -= 1;
            if let Some(count) = held.people.get_mut(&person) {
                *count -= 1;
                if *count == 0 {
                    held.people.remove(&person);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ConnectionLimits = ConnectionLimits {
        all: 8,
        people: 6,
        per_person: 3,
        unproven: 4,
        unproven_per_address: 2,
    };

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn taken(connections: &Connections, last: u8) -> Connection {
        match connections.admit(address(last), true) {
            Admission::Taken(connection) => connection,
            Admission::Refused => panic!("there is room"),
        }
    }

    fn person(number: u128) -> Proof {
        Proof::Person(UserId(uuid::Uuid::from_u128(number)))
    }

    #[test]
    fn one_address_ends_only_its_own_oldest_connection() {
        let connections = Connections::new(LIMITS, TrustedProxies::default());
        let other = taken(&connections, 9);
        let all: Vec<Connection> = (0..5).map(|_| taken(&connections, 1)).collect();
        let ended: Vec<bool> = all.iter().map(|one| one.ended().is_cancelled()).collect();
        assert_eq!(ended, [true, true, true, false, false]);
        assert!(!other.ended().is_cancelled());
        assert_eq!(connections.counts(), (3, 3));
        drop(all);
        assert_eq!(connections.counts(), (1, 1), "nothing is counted twice");
    }

    #[test]
    fn oldest_unproven_connection_ends_when_many_addresses_connect() {
        let connections = Connections::new(LIMITS, TrustedProxies::default());
        let proven = taken(&connections, 1);
        proven.prove(person(1)).unwrap();
        let all: Vec<Connection> = (2..20).map(|last| taken(&connections, last)).collect();
        assert!(!proven.ended().is_cancelled());
        let living = all.iter().filter(|one| !one.ended().is_cancelled());
        assert_eq!(living.count(), 4);
        assert_eq!(connections.counts(), (5, 4));
    }

    #[test]
    fn people_leave_room_for_machines_and_one_person_for_others() {
        let connections = Connections::new(LIMITS, TrustedProxies::default());
        let mut held = Vec::new();
        let mut prove = |last, proof| {
            let connection = taken(&connections, last);
            let done = connection.prove(proof);
            if done.is_ok() {
                held.push(connection);
            }
            done
        };
        for _ in 0..3 {
            assert_eq!(prove(1, person(1)), Ok(()));
        }
        assert_eq!(prove(1, person(1)), Err(Full::Person));
        for number in 2..5 {
            assert_eq!(prove(2, person(number)), Ok(()));
        }
        assert_eq!(prove(3, person(9)), Err(Full::People));
        assert_eq!(prove(3, Proof::Machine), Ok(()));
        assert_eq!(prove(3, Proof::Machine), Ok(()));
        assert!(matches!(
            connections.admit(address(4), true),
            Admission::Refused
        ));
        drop(held);
        assert_eq!(connections.counts(), (0, 0));
    }

    #[test]
    fn a_proxy_has_many_clients_and_is_bounded_in_all_only() {
        let connections =
            Connections::new(LIMITS, TrustedProxies::new(&["192.0.2.7".parse().unwrap()]));
        let all: Vec<Connection> = (0..4).map(|_| taken(&connections, 7)).collect();
        assert!(all.iter().all(|one| !one.ended().is_cancelled()));
        let _one_more = taken(&connections, 7);
        assert!(all[0].ended().is_cancelled() && !all[1].ended().is_cancelled());
    }

    #[test]
    fn connection_stays_proven_for_later_requests_of_others() {
        let connections = Connections::new(LIMITS, TrustedProxies::default());
        let connection = taken(&connections, 1);
        connection.prove(person(1)).unwrap();
        connection.prove(person(2)).unwrap();
        assert_eq!(connections.lock().people.len(), 1);
        drop(connection);
        assert_eq!(connections.counts(), (0, 0));
        assert!(connections.lock().people.is_empty());
    }
}
