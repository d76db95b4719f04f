// The 16-bit number of an attribute on its server (Vol 3, Part F, 3.2.2), and ranges of them.

/// An attribute handle, 0x0001 to 0xFFFF; 0x0000 is never an attribute.
public typealias AttributeHandle = UInt16

/// The handles from `first` to `last`, inclusive.
public typealias AttributeHandleRange = ClosedRange<AttributeHandle>
