use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::*;
use pbmserv_core::command::Secret;

/// A waiting message: its future has been polled once, so that it has its place.
type Waits<'a> = Pin<Box<dyn Future<Output = Result<HashPermit, Busy>> + 'a>>;

fn unchecked(class: Class) -> Unchecked {
    Unchecked {
        userid_key: "alice".into(),
        password: Secret("fig7elk".into()),
        stored: None,
        is_from_owner: class == Class::Owner,
        proven: None,
    }
}

fn poll(waits: &mut Waits<'_>) -> Option<Result<HashPermit, Busy>> {
    match waits.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

fn enter<'a>(turns: &'a Arc<HashQueue>, class: Class, source: &'a str) -> Waits<'a> {
    let mut waits: Waits<'a> = Box::pin(async move { turns.wait(&unchecked(class), source).await });
    // A turn that is given at once is kept until it is taken.
    match poll(&mut waits) {
        None => waits,
        Some(result) => Box::pin(std::future::ready(result)),
    }
}

fn stranger<'a>(turns: &'a Arc<HashQueue>, source: &'a str) -> Waits<'a> {
    enter(turns, Class::Stranger, source)
}

/// The order in which strangers get their turns, each given back at once.
fn order(waiting: Vec<(&'static str, Waits<'_>)>, first: HashPermit) -> Vec<&'static str> {
    let mut waiting: Vec<_> = waiting
        .into_iter()
        .map(|(name, waits)| (name, Some(waits)))
        .collect();
    let mut order = Vec::new();
    let mut turn = Some(first);
    while turn.take().is_some() {
        for (name, waits) in &mut waiting {
            if let Some(Ok(given)) = waits.as_mut().and_then(poll) {
                (turn, *waits) = (Some(given), None);
                order.push(*name);
                break;
            }
        }
    }
    order
}

fn is_empty(turns: &HashQueue) -> bool {
    let state = turns.lock();
    let is_empty =
        |waiting: &WaitingHashes| (waiting.count, waiting.round.len(), waiting.sources.len()) == (0, 0, 0);
    state.running.is_empty() && is_empty(&state.owners) && is_empty(&state.strangers)
}

#[test]
fn sources_take_turns_so_that_many_mails_do_not_delay_another_s_first() {
    let turns = Arc::default();
    let first = poll(&mut stranger(&turns, "many")).unwrap().unwrap();
    let many = (0..4).map(|_| ("many", stranger(&turns, "many")));
    let mut waiting: Vec<_> = many.collect();
    waiting.push(("one", stranger(&turns, "one")));
    waiting.push(("two", stranger(&turns, "two")));
    waiting.push(("two", stranger(&turns, "two")));
    let order = order(waiting, first);
    assert_eq!(order, ["many", "one", "two", "many", "two", "many", "many"]);
    assert!(is_empty(&turns));
}

#[test]
fn a_player_waits_for_no_stranger_and_strangers_never_have_both_turns() {
    let turns = Arc::default();
    let stranger_first = poll(&mut stranger(&turns, "s1")).unwrap().unwrap();
    let mut second = stranger(&turns, "s2");
    assert!(poll(&mut second).is_none(), "the other turn is for players");
    let alice = poll(&mut enter(&turns, Class::Owner, "alice")).unwrap().unwrap();
    let mut bob = enter(&turns, Class::Owner, "bob");
    assert!(poll(&mut bob).is_none());
    drop(stranger_first);
    let bob = poll(&mut bob).unwrap().unwrap();
    assert!(poll(&mut second).is_none(), "bob was before");
    drop((alice, bob));
    drop(poll(&mut second).unwrap().unwrap());
    assert!(is_empty(&turns));
}

#[test]
fn a_source_has_one_turn_at_a_time() {
    let turns = Arc::default();
    let first = poll(&mut enter(&turns, Class::Owner, "alice")).unwrap().unwrap();
    let mut second = enter(&turns, Class::Owner, "alice");
    assert!(poll(&mut second).is_none());
    let mut guess = stranger(&turns, "alice");
    assert!(poll(&mut guess).is_none(), "for another account neither");
    let bob = poll(&mut enter(&turns, Class::Owner, "bob")).unwrap().unwrap();
    drop(first);
    drop(poll(&mut second).unwrap().unwrap());
    drop(poll(&mut guess).unwrap().unwrap());
    drop(bob);
    assert!(is_empty(&turns));
}

#[test]
fn who_leaves_gives_up_the_place_and_also_a_turn_that_was_given_meanwhile() {
    let turns = Arc::default();
    let first = poll(&mut stranger(&turns, "a")).unwrap().unwrap();
    let gone = stranger(&turns, "b");
    let given = stranger(&turns, "c");
    let mut last = stranger(&turns, "d");
    drop(gone);
    assert_eq!(turns.lock().strangers.count, 2);
    drop(first);
    assert_eq!(turns.lock().running, [(Class::Stranger, "c".to_owned())]);
    drop(given);
    drop(poll(&mut last).unwrap().unwrap());
    assert!(is_empty(&turns));
}

#[test]
fn a_source_has_so_many_places_and_all_strangers_together_so_many() {
    let turns = Arc::default();
    let (most, most_of_one) = Class::Stranger.most_waiting();
    let names: Vec<_> = (0..most).map(|number| format!("s{number}")).collect();
    let first = poll(&mut stranger(&turns, "first")).unwrap().unwrap();
    let mut waiting: Vec<_> = (0..most_of_one).map(|_| stranger(&turns, "many")).collect();
    assert_eq!(poll(&mut stranger(&turns, "many")).unwrap().err(), Some(Busy));
    waiting.extend(
        names[..most - most_of_one]
            .iter()
            .map(|name| stranger(&turns, name)),
    );
    // The class is full: whoever has many gives up a place for a first.
    let mut newcomer = stranger(&turns, "newcomer");
    assert!(poll(&mut newcomer).is_none());
    assert_eq!(
        poll(&mut waiting.remove(most_of_one - 1)).unwrap().err(),
        Some(Busy)
    );
    assert!(
        waiting[..most_of_one - 1]
            .iter_mut()
            .all(|waits| poll(waits).is_none())
    );
    // But not for one more than it then has itself.
    waiting.extend(
        names[most - most_of_one..]
            .iter()
            .map(|name| stranger(&turns, name)),
    );
    let refused = waiting.iter_mut().filter_map(poll).filter(Result::is_err).count();
    assert_eq!(refused, most_of_one);
    assert_eq!(turns.lock().strangers.count, most);
    // A player has a place of another class.
    drop(poll(&mut enter(&turns, Class::Owner, "alice")).unwrap().unwrap());
    drop((waiting, newcomer, first));
    assert!(is_empty(&turns));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_get_their_turn_whoever_comes_and_goes() {
    let turns: Arc<HashQueue> = Arc::default();
    let messages = (0..600_usize).map(|number| {
        let turns = turns.clone();
        tokio::spawn(async move {
            let class = if number % 3 == 0 {
                Class::Stranger
            } else {
                Class::Owner
            };
            let (unchecked, source) = (unchecked(class), format!("s{}", number % 7));
            let turn = turns.wait(&unchecked, &source);
            if number % 5 == 0 {
                let patience = std::time::Duration::from_micros(number as u64);
                return tokio::time::timeout(patience, turn).await.is_ok();
            }
            let given = turn.await;
            tokio::task::yield_now().await;
            given.is_ok()
        })
    });
    let mut given = 0;
    for message in messages.collect::<Vec<_>>() {
        given += usize::from(message.await.unwrap());
    }
    assert!(given >= 480, "{given}");
    assert!(is_empty(&turns));
}
