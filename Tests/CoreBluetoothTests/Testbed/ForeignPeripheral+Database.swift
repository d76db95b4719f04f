// Foreign peripherals whose database changes: tables with Service Changed, and what a server says when it knows that a
// client's table is no longer its own.

extension ForeignPeripheral {
    /// The Generic Attribute Service with Service Changed and a Database Hash, and another service.
    static let hashedAttributes = [
        Attribute(handle: 1, type: 0x2800, value: [0x01, 0x18], end: 6),
        Attribute(handle: 2, type: 0x2803, value: [0x20, 0x03, 0x00, 0x05, 0x2A]),
        Attribute(handle: 3, type: 0x2A05, value: []),
        Attribute(handle: 4, type: 0x2902, value: [0, 0]),
        Attribute(handle: 5, type: 0x2803, value: [0x02, 0x06, 0x00, 0x2A, 0x2B]),
        Attribute(handle: 6, type: 0x2B2A, value: Array(repeating: 7, count: 16)),
        Attribute(handle: 7, type: 0x2800, value: [0x0D, 0x18], end: 9),
        Attribute(handle: 8, type: 0x2803, value: [0x02, 0x09, 0x00, 0x37, 0x2A]),
        Attribute(handle: 9, type: 0x2A37, value: Array("beat".utf8)),
    ]

    /// The Generic Attribute Service with Service Changed alone, at handles behind those of the heart.
    static let serviceChangedAttributes = [
        Attribute(handle: 0x10, type: 0x2800, value: [0x01, 0x18], end: 0x13),
        Attribute(handle: 0x11, type: 0x2803, value: [0x20, 0x12, 0x00, 0x05, 0x2A]),
        Attribute(handle: 0x12, type: 0x2A05, value: []),
        Attribute(handle: 0x13, type: 0x2902, value: [0, 0]),
    ]

    /// Refuses the next reads of the hashed attributes with Database Out Of Sync.
    ///
    /// - Parameters:
    ///   - count: The number of reads that are refused.
    ///   - change: The handles that it reports as changed before it refuses; `nil` if it reports none.
    ///   - hash: The octet of the Database Hash after that.
    func refuseReads(_ count: Int, change: [UInt8]?, hash: UInt8) {
        var left = count
        self.onRequest = { [unowned self] request in
            guard request[0] == 0x0A, left > 0 else { return nil }
            left -= 1
            self.attributes[5].value = Array(repeating: hash, count: 16)
            if let change { self.push([0x1D, 0x03, 0x00] + change) }
            return [0x01, 0x0A, 0x09, 0x00, 0x12]
        }
    }
}
