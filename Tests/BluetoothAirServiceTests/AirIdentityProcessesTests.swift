// How many processes of one program have an identity at the same time. The locks of most of them are one file under
// many names, so that the test holds few files open.

import BluetoothTransport
import Fixtures
import Foundation
import Testing

@testable import BluetoothAirService

@Suite("Identities of very many processes")
struct AirIdentityProcessesTests {
    @Test("4,096 processes of a program have an identity at the same time, and one more is refused")
    func processes() throws {
        let folder = try TemporaryFolder()
        let store = try AirIdentityStore(folder: folder.path, logger: LogLines().logger)
        let lock = try #require(try FileLock.take(folder("program-p-1.lock")))
        for number in 2...4095 {
            try FileManager.default.linkItem(
                atPath: folder("program-p-1.lock"),
                toPath: folder("program-p-\(number).lock")
            )
        }
        let last = try store.claim(program: "p")
        #expect(last.name == "p 4096")
        let error = #expect(throws: TransportError.self) { try store.claim(program: "p") }
        #expect(error?.code == .inUse)
        #expect(error?.message == "4096 processes of p are running: end some")
        withExtendedLifetime(last) {}
        withExtendedLifetime(lock) {}
    }
}
