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
        /// Notes what was reported: a text, or that there is no link.
        @Sendable func report<Value, Failure>(
            _ name: String,
            _ result: Result<Value, Failure>,
            _ text: (Value) -> String
        ) {
            switch result {
            case .success(let value): note(name + text(value))
            case .failure(let error): note("\(name) \(error)")
            }
        }
        adapter.readLinkParameters(of: identifier) { report("MTU", $0) { " \($0.mtu)" } }
        adapter.setPHYs(of: identifier, to: PHYPreference(transmitter: .le2M, receiver: .le2M)) {
            report("PHYs", $0) { _ in "" }
        }
        testbed.run(.seconds(2))
        let parameters = ConnectionParameters(
            minimumInterval: ConnectionInterval(.milliseconds(30)),
            maximumInterval: ConnectionInterval(.milliseconds(30)),
            latency: 3,
            supervisionTimeout: SupervisionTimeout(.seconds(4))
        )
        adapter.updateConnection(to: identifier, parameters) { report("latency", $0) { " \($0.latency)" } }
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
        let refused = LEHostError.notConnected
        let none = ["MTU \(refused)", "PHYs \(refused)", "latency \(refused)", "no security", "secures false"]
        #expect(
            self.ask(talk.centralAdapter, about: peripheral.identifier, in: talk.testbed)
                == ["PHYs", "MTU 517", "latency 3", "security", "secures true"]
        )
        #expect(self.ask(talk.centralAdapter, about: UUID(random: 7, 7), in: talk.testbed) == none)
        talk.central.disconnect(peripheral, in: talk.testbed)
        talk.testbed.run()
        #expect(self.ask(talk.centralAdapter, about: peripheral.identifier, in: talk.testbed) == none)
        talk.centralAdapter.kill()
        #expect(self.ask(talk.centralAdapter, about: peripheral.identifier, in: talk.testbed) == none)
    }
}
