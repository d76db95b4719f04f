// A page as who connects to its port finds it, with octets on a real socket of loopback.

import Fixtures
import Foundation
import Testing

@testable import LoopbackWeb

/// The port in the address of a page with the token of these tests.
func pagePort(_ address: String) throws -> Int {
    let match = try #require(address.wholeMatch(of: #/http:\/\/127\.0\.0\.1:([0-9]+)\/abcdefghijklmnop\//#))
    return try #require(Int(match.1))
}

/// The first line of the answer to a request with these fields behind its Host; empty where there is none.
func statusLine(_ port: Int, _ fields: String, path: String = "x") throws -> String {
    let client = try RawSocket(port: port)
    let head = "GET /abcdefghijklmnop/\(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\(fields)\r\n"
    client.send(Array(head.utf8))
    let text = String(decoding: client.read(.max), as: UTF8.self)
    return text.split(separator: "\r\n").first.map(String.init) ?? ""
}

extension RawSocket {
    /// Reads as far as the end of a text, or fewer octets where the stream ends or the time is over.
    func read(through text: String) -> [UInt8] {
        let end = Array(text.utf8)
        var octets: [UInt8] = []
        while !octets.suffix(end.count).elementsEqual(end) {
            let octet = read(1)
            guard !octet.isEmpty else { break }
            octets += octet
        }
        return octets
    }
}
