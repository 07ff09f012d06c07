//! Buffers that a recursion uses again and again: one for each ply of the path.

/// One buffer a ply, made when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Buffers<T>(Vec<T>);

impl<T: Default> Buffers<T> {
    /// The buffer of a ply, with what was left in it; to be put back.
    pub(super) fn take(&mut self, ply: u32) -> T {
        let ply = ply as usize;
        if self.0.len() <= ply {
            self.0.resize_with(ply + 1, T::default);
        }
        std::mem::take(&mut self.0[ply])
    }

    /// Puts the buffer of a ply back.
    pub(super) fn put_back(&mut self, ply: u32, buffer: T) {
        self.0[ply as usize] = buffer;
    }
}
