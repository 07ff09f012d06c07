//! Where tensors live: the CPU, or a device that a cargo feature added; and what decides the bits of results there.

use burn::tensor::Device;

use super::conv::{Kernel, KernelError};

/// A device that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// This build has none of that name.
    #[error("device {name:?} is not known to this build; it knows {known}{hint}")]
    Unknown {
        /// The name.
        name: String,
        /// The names that this build knows.
        known: String,
        /// How to add it, where that is possible.
        hint: String,
    },
    /// The environment names a kernel that cannot be had.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}

type Open = fn() -> Device;

/// The devices of this build by name, with how to open each.
const DEVICES: &[(&str, Open)] = &[
    ("cpu", Device::flex),
    #[cfg(feature = "ndarray")]
    ("ndarray", Device::ndarray),
    #[cfg(feature = "wgpu")]
    ("wgpu", || Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
    #[cfg(feature = "cuda")]
    ("cuda", || Device::cuda(0)),
];

/// Whether tensors of `device` are computed by burn's CPU backend.
pub(super) fn is_cpu(device: &Device) -> bool {
    *device == Device::flex()
}

/// Opens the device called `name`: `cpu`, or `ndarray`, `wgpu` and `cuda` where the cargo feature of that name is on.
///
/// # Errors
/// When this build has no such device, or the environment variable `PLYZERO_KERNEL` names a kernel that cannot be had.
pub fn open_device(name: &str) -> Result<Device, DeviceError> {
    Kernel::of_process()?;
    if let Some((_, open)) = DEVICES.iter().find(|(known, _)| *known == name) {
        return Ok(open());
    }
    let known: Vec<&str> = DEVICES.iter().map(|&(known, _)| known).collect();
    let is_feature = ["ndarray", "wgpu", "cuda"].contains(&name);
    let hint = if is_feature { format!("; build with `--features {name}` to add it") } else { String::new() };
    Err(DeviceError::Unknown { name: name.to_owned(), known: known.join(", "), hint })
}

/// What decides the bits of a result beside the program: the device, and on the CPU its kind, the kernel of networks and the
/// vector instructions that burn's matrix products use. Runs agree to the bit where this text does.
#[must_use]
pub fn kernel(device: &str) -> String {
    let mut words = vec![device.to_owned(), std::env::consts::ARCH.to_owned()];
    if device == "cpu" {
        words.extend(Kernel::of_process().map(|kernel| kernel.name().to_owned()));
        words.extend(vector_instructions().into_iter().filter(|(_, there)| *there).map(|(name, _)| name.to_owned()));
    }
    words.join(" ")
}

/// The vector instructions that matrix products may use, and whether this processor has them.
fn vector_instructions() -> Vec<(&'static str, bool)> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        vec![("fma", has!("fma")), ("avx2", has!("avx2")), ("avx512f", has!("avx512f"))]
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}
