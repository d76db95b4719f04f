// The value after a write at an offset, for all code that stores values of a server.

extension RangeReplaceableCollection<UInt8> {
    /// The value after a part was written at an offset: it ends with the part, as after any write.
    ///
    /// - Returns: `nil` if the part begins beyond the end, which is answered with Invalid Offset (Vol 3, Part F,
    ///   3.4.6.3).
    package func writing(_ part: some Collection<UInt8>, at offset: Int) -> Self? {
        offset <= self.count ? Self(self.prefix(offset)) + part : nil
    }
}
