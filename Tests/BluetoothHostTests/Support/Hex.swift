// Octets as text, for tests that hold packets beside the specification.

import NIOCore

/// The octets of text such as `"0A 03 00"`; blanks and line ends mean nothing.
func hex(_ text: String) -> ByteBuffer {
    let digits = text.filter { !$0.isWhitespace }
    precondition(digits.count % 2 == 0, "an odd number of digits in \(text)")
    var bytes = ByteBuffer()
    var index = digits.startIndex
    while index < digits.endIndex {
        let next = digits.index(index, offsetBy: 2)
        guard let octet = UInt8(digits[index..<next], radix: 16) else { preconditionFailure("no octet in \(text)") }
        bytes.writeInteger(octet)
        index = next
    }
    return bytes
}

/// The text of octets, as ``hex(_:)-(String)`` takes it.
func hex(_ bytes: ByteBuffer) -> String {
    bytes.readableBytesView.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        .joined(separator: " ")
}
