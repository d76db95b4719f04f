import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A pseudo-terminal of corebluetooth uart")
@MainActor
struct PseudoTerminalTests {
    @Test("passes octets as they are in both directions, without an echo, and drops those that nobody reads")
    func octets() async throws {
        let terminal = try PseudoTerminal()
        let file = open(terminal.path, O_RDWR | O_NOCTTY)
        try #require(file >= 0)
        defer { close(file) }
        let octets = [UInt8](0...255)
        #expect(write(file, octets, octets.count) == octets.count)
        var received = Data()
        for try await data in terminal.input {
            received += data
            if received.count >= octets.count { break }
        }
        #expect(received == Data(octets))
        terminal.send(Data(octets.reversed()))
        var back: [UInt8] = []
        while back.count < octets.count {
            var part = [UInt8](repeating: 0, count: octets.count)
            let count = read(file, &part, part.count)
            try #require(count > 0)
            back += part[..<count]
        }
        #expect(back == octets.reversed())
        // Does not wait for a reader.
        terminal.send(Data(count: 1_000_000))
    }
}
