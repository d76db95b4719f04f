import BluetoothTransport
import BluetoothTypes
import Fixtures
import Foundation
import Testing

@testable import BluetoothAirService

@Suite("Identities that are claimed at once")
struct AirIdentityContentionTests {
    let folder: TemporaryFolder
    let log = LogLines(level: .info)
    let store: AirIdentityStore

    init() throws {
        self.folder = try TemporaryFolder()
        self.store = try AirIdentityStore(folder: self.folder.path, logger: self.log.logger)
    }

    @Test("many that claim at once get different addresses")
    func contention() async throws {
        let store = self.store
        let identities = try await withThrowingTaskGroup(of: AirIdentity.self) { group in
            for _ in 0..<24 { group.addTask { try store.claim(program: "p") } }
            var identities: [AirIdentity] = []
            for try await identity in group { identities.append(identity) }
            return identities
        }
        #expect(Set(identities.map(\.address)).count == 24)
        let winners = await withTaskGroup(of: AirIdentity?.self) { group in
            for _ in 0..<24 { group.addTask { try? store.claim(name: "only") } }
            var winners: [AirIdentity] = []
            for await winner in group { if let winner { winners.append(winner) } }
            return winners
        }
        #expect(winners.count == 1)
    }
}
