//! Bounds and cleans everything that a node sends, right after decoding: nodes may be hostile too.
//!
//! The gateway calls [`crate::frame::decode_from_node`] and uses only its result: texts are bounded and have no control
//! characters, lists are truncated, percentages are between 0 and 100, addresses are valid. Output bytes are unchanged;
//! a program that prints them to a terminal must clean them itself.
use std::net::{IpAddr, Ipv4Addr};

use crate::caps::Bounds;
use crate::control::ControlReply;
use crate::frame::ToGateway;
use crate::hello::{Capabilities, Engine, HeldImage, Hello};
use crate::inventory::{Inventory, LedgerEntry};
use crate::limits::{
    MAX_DETAIL_TEXT, MAX_IMAGES, MAX_INVENTORY, MAX_LEFT_OUT, MAX_REPORT_ENTRIES, MAX_SHORT_TEXT,
    MAX_STREAMED_BYTES,
};
use crate::report::{Ended, ErrorKind, OperationError, OperationReport, Outcome, Report, Terminal};
use crate::sandbox::{SandboxFacts, WorkspaceState};
use crate::snapshot::Stored;
use crate::text::clean;
use crate::verify::VerifyReport;
use crate::vitals::{Heartbeat, NodeTools, Psi};

fn short(text: &mut String) {
    *text = clean(text, MAX_SHORT_TEXT);
}

fn detail(text: &mut String) {
    *text = clean(text, MAX_DETAIL_TEXT);
}

impl ToGateway {
    /// Cleans the message inside.
    pub fn clean(&mut self) {
        match self {
            Self::Hello(hello) => hello.clean(),
            Self::Heartbeat(heartbeat) => heartbeat.clean(),
            Self::NodeTools(tools) => tools.clean(),
            Self::Report(report) => report.clean(),
            Self::Inventory(inventory) => inventory.clean(),
            Self::Reply(ControlReply::Stored { snapshot }) => snapshot.clean(),
            Self::Reply(ControlReply::NotStored { detail: text, .. }) => detail(text),
            // Bytes, numbers and closed enums; [`crate::machine::output`] checks offsets and sizes.
            Self::Output(_) | Self::Reply(_) | Self::Unknown => {}
        }
    }
}

impl Hello {
    /// Cleans texts and truncates lists.
    pub fn clean(&mut self) {
        let Self {
            versions: _,
            daemon_version,
            install_id: _,
            instance_id: _,
            boot_id,
            hostname,
            os,
            arch,
            capabilities,
            inventory,
        } = self;
        for text in [daemon_version, boot_id, hostname, os, arch] {
            short(text);
        }
        capabilities.clean();
        inventory.clean();
    }
}

impl Capabilities {
    fn clean(&mut self) {
        if let Some(Engine { name, version, api }) = &mut self.engine {
            for text in [name, version, api] {
                short(text);
            }
        }
        clean_image(
            &mut self.image_reference,
            &mut self.image_id,
            &mut self.image_unfit,
        );
        clean_bounds(&mut self.bounds);
    }
}

fn clean_image(
    reference: &mut Option<String>,
    id: &mut Option<String>,
    unfit: &mut Option<String>,
) {
    if let Some(unfit) = unfit {
        detail(unfit);
    }
    if let Some(reference) = reference {
        *reference = clean(reference, 2 * MAX_SHORT_TEXT);
    }
    if let Some(id) = id {
        short(id);
    }
}

fn clean_bounds(bounds: &mut Option<Bounds>) {
    if let Some(bounds) = bounds {
        bounds.each = bounds.caps().cleaned().each;
        if let Some(why) = &mut bounds.not_enforced {
            detail(why);
        }
    }
}

impl Inventory {
    /// Cleans texts and truncates lists.
    pub fn clean(&mut self) {
        self.sandboxes.truncate(MAX_INVENTORY);
        self.operations.truncate(MAX_INVENTORY);
        self.sandboxes.iter_mut().for_each(SandboxFacts::clean);
        self.operations.iter_mut().for_each(LedgerEntry::clean);
        self.stored.truncate(MAX_INVENTORY);
        self.stored.iter_mut().for_each(Stored::clean);
    }
}

impl Stored {
    fn clean(&mut self) {
        short(&mut self.digest);
        self.left_out.truncate(MAX_LEFT_OUT);
        self.left_out.iter_mut().for_each(short);
    }
}

impl LedgerEntry {
    fn clean(&mut self) {
        self.output_end = self.output_end.min(MAX_STREAMED_BYTES);
        if let Some(ended) = &mut self.ended {
            ended.clean();
        }
    }
}

impl SandboxFacts {
    /// Cleans texts.
    pub fn clean(&mut self) {
        short(&mut self.container);
        self.image = clean(&self.image, 2 * MAX_SHORT_TEXT);
    }
}

impl HeldImage {
    fn clean(&mut self) {
        self.reference = clean(&self.reference, 2 * MAX_SHORT_TEXT);
        if let Some(id) = &mut self.id {
            short(id);
        }
        if let Some(unfit) = &mut self.unfit {
            detail(unfit);
        }
        if let Some(problem) = self.fetch.as_mut().and_then(|fetch| fetch.problem.as_mut()) {
            detail(problem);
        }
    }
}

impl Heartbeat {
    /// Cleans texts. Invalid percentages, loads, temperatures and addresses become absent.
    pub fn clean(&mut self) {
        short(&mut self.hostname);
        clean_image(
            &mut self.image_reference,
            &mut self.image_id,
            &mut self.image_unfit,
        );
        if let Some(images) = &mut self.images {
            images.truncate(MAX_IMAGES);
            images.iter_mut().for_each(HeldImage::clean);
        }
        clean_bounds(&mut self.bounds);
        for load in [&mut self.load1, &mut self.load5, &mut self.load15] {
            *load = load.filter(|value| value.is_finite() && *value >= 0.0);
        }
        for percent in [&mut self.cpu_pct, &mut self.gpu_pct] {
            *percent = percentage(*percent);
        }
        self.temp_max_c = self
            .temp_max_c
            .filter(|degrees| (-100.0..=300.0).contains(degrees));
        if let Some(psi) = &mut self.psi {
            let Psi {
                cpu_some10,
                memory_some10,
                memory_full10,
                io_some10,
                io_full10,
            } = psi;
            for percent in [
                cpu_some10,
                memory_some10,
                memory_full10,
                io_some10,
                io_full10,
            ] {
                *percent = percentage(*percent);
            }
        }
        self.local_ip = self
            .local_ip
            .take()
            .filter(|text| text.len() <= 64 && text.parse::<Ipv4Addr>().is_ok());
        self.mesh_ip = self
            .mesh_ip
            .take()
            .filter(|text| text.len() <= 64 && text.parse::<IpAddr>().is_ok());
    }
}

/// Measured shares exceed 100 slightly. Larger values are not valid percentages.
fn percentage(value: Option<f32>) -> Option<f32> {
    value
        .filter(|percent| (-1.0..=101.0).contains(percent))
        .map(|percent| percent.clamp(0.0, 100.0))
}

impl NodeTools {
    /// Cleans texts and truncates the list.
    pub fn clean(&mut self) {
        self.tools.truncate(MAX_REPORT_ENTRIES);
        for tool in &mut self.tools {
            short(&mut tool.tool);
            short(&mut tool.version);
        }
    }
}

impl OperationReport {
    /// Cleans texts and truncates lists.
    pub fn clean(&mut self) {
        match &mut self.report {
            Report::Progress { detail: text } => detail(text),
            Report::Ended(ended) => ended.clean(),
            Report::Accepted | Report::NeverSeen | Report::Unknown => {}
        }
    }
}

impl Ended {
    /// Cleans texts and truncates lists. A done end with an error, or with an unreadable outcome, becomes failed.
    pub fn clean(&mut self) {
        self.output_end = self.output_end.min(MAX_STREAMED_BYTES);
        match &mut self.outcome {
            Outcome::Verified { report } => report.clean(),
            Outcome::Provisioned { sandbox, workspace } => {
                sandbox.clean();
                match workspace {
                    WorkspaceState::Restored { digest }
                    | WorkspaceState::ArchiveMissing { digest } => {
                        short(digest);
                    }
                    WorkspaceState::Empty => {}
                }
            }
            Outcome::Destroyed { archive } => {
                if let Some(archive) = archive {
                    short(&mut archive.digest);
                }
            }
            Outcome::Listed { sandboxes } => {
                sandboxes.truncate(MAX_INVENTORY);
                sandboxes.iter_mut().for_each(SandboxFacts::clean);
            }
            Outcome::Flushed { snapshot } => snapshot.clean(),
            Outcome::Error { error } => {
                detail(&mut error.detail);
                if let Some(pointer) = &mut error.pointer {
                    short(pointer);
                }
            }
            Outcome::Unknown => {
                self.outcome = Outcome::Error {
                    error: OperationError::new(
                        ErrorKind::Internal,
                        "the machine answered with an outcome that this gateway does not know",
                    ),
                };
            }
            Outcome::Exited { .. } | Outcome::Healthy { .. } => {}
        }
        if self.state == Terminal::Done && matches!(self.outcome, Outcome::Error { .. }) {
            self.state = Terminal::Failed;
        }
    }
}

impl VerifyReport {
    /// Cleans texts and truncates lists.
    pub fn clean(&mut self) {
        self.checks.truncate(MAX_REPORT_ENTRIES);
        self.probe.truncate(MAX_REPORT_ENTRIES);
        for check in &mut self.checks {
            short(&mut check.name);
            short(&mut check.title);
            detail(&mut check.detail);
        }
        for fact in &mut self.probe {
            short(&mut fact.fact);
            short(&mut fact.title);
            detail(&mut fact.expected);
            detail(&mut fact.actual);
        }
    }
}
