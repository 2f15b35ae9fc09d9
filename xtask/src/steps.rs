//! Runs the steps of a long command and shows which one runs, how many there are and how long each takes.
//!
//! Everything goes to standard error, so that standard output has only what the command itself says.

use std::io::{IsTerminal, Write, stderr};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// One step: its name, and the work. The work returns a remark, such as the version that is already there.
pub struct Step<'a> {
    name: &'static str,
    work: Box<dyn FnOnce() -> Result<String> + 'a>,
}

/// Names a piece of work.
pub fn step<'a>(name: &'static str, work: impl FnOnce() -> Result<String> + 'a) -> Step<'a> {
    Step { name, work: Box::new(work) }
}

/// Runs them in order until one fails. The error names the step.
pub fn run(steps: Vec<Step<'_>>) -> Result<()> {
    let count = steps.len();
    for (index, Step { name, work }) in steps.into_iter().enumerate() {
        let title = format!("{} of {count}: {name}", index + 1);
        let clock = Clock::start(title.clone());
        let result = work();
        clock.stop(result.as_deref().ok());
        result.with_context(|| format!("step {title}"))?;
    }
    Ok(())
}

/// Shows the time while a step runs: every second in a terminal, every 15 seconds in a file.
struct Clock {
    title: String,
    began: Instant,
    stop: Sender<()>,
    ticking: JoinHandle<()>,
}

impl Clock {
    fn start(title: String) -> Self {
        let began = Instant::now();
        let (stop, stopped) = mpsc::channel();
        let terminal = stderr().is_terminal();
        eprintln!("[{title}]");
        let ticking = thread::spawn({
            let title = title.clone();
            move || {
                let pause = Duration::from_secs(if terminal { 1 } else { 15 });
                while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                    let time = seconds(began.elapsed());
                    if terminal {
                        eprint!("\r\x1b[K  {time}");
                        let _ = stderr().flush(); // the next line shows as well
                    } else {
                        eprintln!("[{title}] {time} so far");
                    }
                }
                if terminal {
                    eprint!("\r\x1b[K");
                }
            }
        });
        Self { title, began, stop, ticking }
    }

    /// Ends the ticking. `remark` is what the step returned, nothing where it failed.
    fn stop(self, remark: Option<&str>) {
        let _ = self.stop.send(()); // a thread that has ended already needs no message
        let _ = self.ticking.join();
        let time = seconds(self.began.elapsed());
        match remark {
            Some("") => eprintln!("[{}] done in {time}", self.title),
            Some(remark) => eprintln!("[{}] done in {time}: {remark}", self.title),
            None => eprintln!("[{}] failed after {time}", self.title),
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.0} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use anyhow::bail;

    use super::*;

    #[test]
    fn steps_run_in_order_until_one_fails_and_the_error_names_it() {
        let ran = RefCell::new(Vec::new());
        let ran_so_far = &ran;
        let good = |name: &'static str| {
            step(name, move || {
                ran_so_far.borrow_mut().push(name);
                Ok(String::new())
            })
        };
        let bad = step("fetch", || bail!("there is no network"));
        let error = run(vec![good("find"), bad, good("compile")]).unwrap_err();
        assert_eq!(format!("{error:#}"), "step 2 of 3: fetch: there is no network");
        assert_eq!(*ran.borrow(), ["find"]);
    }
}
