import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Fixtures
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The parameters of a link")
struct LinkParametersTests {
    /// Asks for everything, and returns the reports in order.
    private func ask(_ adapter: BluetoothAdapter, about identifier: UUID, in testbed: Testbed) -> [String] {
        let reports = NIOLockedValueBox<[String]>([])
        let note: @Sendable (String) -> Void = { text in reports.withLockedValue { $0.append(text) } }
        adapter.readLinkParameters(of: identifier) { result in
            switch result {
            case .success(let parameters): note("MTU \(parameters.mtu)")
            case .failure(.notConnected): note("no link to read")
            case .failure: note("failed")
            }
        }
        adapter.setPHYs(of: identifier, to: PHYPreference(transmitter: .le2M, receiver: .le2M)) { result in
            switch result {
            case .success: note("PHYs")
            case .failure(.notConnected): note("no link to set")
            case .failure: note("failed")
            }
        }
        testbed.run(.seconds(2))
        let parameters = ConnectionParameters(
            minimumInterval: ConnectionInterval(.milliseconds(30)),
            maximumInterval: ConnectionInterval(.milliseconds(30)),
            latency: 3,
            supervisionTimeout: SupervisionTimeout(.seconds(4))
        )
        adapter.updateConnection(to: identifier, parameters) { result in
            switch result {
            case .success(let timing): note("latency \(timing.latency)")
            case .failure(.notConnected): note("no link to update")
            case .failure: note("failed")
            }
        }
        testbed.run(.seconds(2))
        adapter.security(of: identifier) { security in note(security == nil ? "no security" : "security") }
        adapter.secure(identifier, to: .encrypted) { isBegun in note("secures \(isBegun)") }
        testbed.run(.seconds(2))
        return reports.withLockedValue { $0 }
    }

    @Test("reports MTU, PHYs, timing and security of a link, or that there is no link")
    func links() throws {
        let talk = Conversation()
        let (peripheral, _, _) = try talk.discover()
        talk.testbed.run()
        let none = ["no link to read", "no link to set", "no link to update", "no security", "secures false"]
        #expect(
            self.ask(talk.centralAdapter, about: peripheral.identifier, in: talk.testbed)
                == ["MTU 517", "PHYs", "latency 3", "security", "secures true"]
        )
        #expect(self.ask(talk.centralAdapter, about: UUID(random: 7, 7), in: talk.testbed) == none)
        talk.central.disconnect(peripheral, in: talk.testbed)
        talk.testbed.run()
        #expect(self.ask(talk.centralAdapter, about: peripheral.identifier, in: talk.testbed) == none)
        talk.centralAdapter.kill()
        #expect(self.ask(talk.centralAdapter, about: peripheral.identifier, in: talk.testbed) == none)
    }
}
