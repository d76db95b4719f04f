// Octets as hexadecimal text: identifiers and keys are kept, shown and sent that way.

import Foundation

extension Data {
    /// Two digits for each octet.
    var hexEncodedString: String { map { String(format: "%02x", $0) }.joined() }

    /// The octets of a text of hexadecimal digits; `nil` if it is not one.
    init?(hexString: String) {
        guard hexString.utf8.count.isMultiple(of: 2) else { return nil }
        self.init(capacity: hexString.utf8.count / 2)
        var index = hexString.startIndex
        while index < hexString.endIndex {
            let next = hexString.index(index, offsetBy: 2)
            guard let octet = UInt8(hexString[index..<next], radix: 16) else { return nil }
            append(octet)
            index = next
        }
    }
}
