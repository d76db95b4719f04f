// How a link is carried, and asking for another way.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("The parameters of a link")
struct LinkParametersTests {
    private let handle = ConnectionHandle(rawValue: 0x40)
    private let slow = LinkTiming(
        interval: ConnectionInterval(.milliseconds(100)),
        latency: 2,
        supervisionTimeout: SupervisionTimeout(.seconds(4))
    )

    private func connected() throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        return (testbed, link)
    }

    @Test("A link has the timing of its beginning until the controller reports another one")
    func timing() throws {
        let (testbed, link) = try connected()
        let first = try #require(testbed.host.timing(of: link))
        #expect(first != slow)
        func report(_ status: HCIErrorCode) {
            testbed.controller.deliver(
                LEConnectionUpdateComplete(
                    status: status,
                    handle: handle,
                    interval: slow.interval,
                    latency: slow.latency,
                    supervisionTimeout: slow.supervisionTimeout
                ).packet()
            )
            testbed.run()
        }
        report(.unacceptableConnectionParameters)
        #expect(testbed.host.timing(of: link) == first)
        report(.success)
        #expect(testbed.host.timing(of: link) == slow)
    }

    @Test("Who asks for parameters gets the controller's event, its refusal, or the end of the link, once")
    func update() throws {
        let (testbed, link) = try connected()
        var results: [Result<LinkTiming, LEHostError>] = []
        testbed.host.updateConnection(link, to: .initial) { results.append($0) }
        testbed.run(.seconds(1))
        #expect(results.isEmpty, "Command Status is no answer")
        testbed.controller.deliver(
            LEConnectionUpdateComplete(
                handle: handle,
                interval: slow.interval,
                latency: slow.latency,
                supervisionTimeout: slow.supervisionTimeout
            ).packet()
        )
        testbed.run()
        #expect(results == [.success(slow)])
        testbed.controller.refused[LEConnectionUpdate.opcode] = .commandDisallowed
        testbed.host.updateConnection(link, to: .initial) { results.append($0) }
        testbed.run()
        #expect(results.last == .failure(.refused(.commandDisallowed)))
        testbed.controller.refused = [:]
        testbed.host.updateConnection(link, to: .initial) { results.append($0) }
        testbed.run()
        testbed.controller.deliver(
            DisconnectionComplete(status: .success, handle: handle, reason: .connectionTimeout).packet()
        )
        testbed.run()
        #expect(results.last == .failure(.notConnected))
        testbed.host.updateConnection(link, to: .initial) { results.append($0) }
        testbed.run()
        #expect(results.count == 4)
        #expect(results.last == .failure(.notConnected))
    }

    @Test("Who asks for PHYs gets those of the controller's event")
    func phys() throws {
        let (testbed, link) = try connected()
        var results: [Result<LinkPHYs, LEHostError>] = []
        let preference = PHYPreference(transmitter: .leCoded, receiver: .leCoded)
        testbed.host.setPHYs(of: link, to: preference) { results.append($0) }
        testbed.run()
        var parameters = try #require(testbed.controller.parameters[LESetPHY.opcode])
        #expect(try LESetPHY(parsing: &parameters).preference == preference)
        #expect(results.isEmpty)
        testbed.controller.deliver(
            LEPHYUpdateComplete(handle: handle, transmitter: .leCoded, receiver: .le1M).packet()
        )
        testbed.controller.deliver(
            LEPHYUpdateComplete(handle: handle, transmitter: .le2M, receiver: .le2M).packet()
        )
        testbed.run()
        #expect(results == [.success(LinkPHYs(transmitter: .leCoded, receiver: .le1M))])
        testbed.host.setPHYs(of: link, to: preference) { results.append($0) }
        testbed.run()
        testbed.controller.deliver(
            LEPHYUpdateComplete(status: .unsupportedRemoteFeature, handle: handle, transmitter: .le1M, receiver: .le1M)
                .packet()
        )
        testbed.run()
        #expect(results.last == .failure(.refused(.unsupportedRemoteFeature)))
    }

    @Test("Who asks for parameters or PHYs hears that the link ended before the controller said that it tries")
    func endsBeforeStatus() throws {
        let (testbed, link) = try connected()
        testbed.controller.silent = [LEConnectionUpdate.opcode, LESetPHY.opcode]
        var timings: [Result<LinkTiming, LEHostError>] = []
        var phys: [Result<LinkPHYs, LEHostError>] = []
        testbed.host.updateConnection(link, to: .initial) { timings.append($0) }
        testbed.host.setPHYs(of: link, to: PHYPreference(transmitter: .le2M, receiver: .le2M)) { phys.append($0) }
        testbed.controller.disconnect(0x40, reason: .connectionTimeout)
        testbed.run()
        for opcode in [LEConnectionUpdate.opcode, LESetPHY.opcode] {
            testbed.controller.deliver(CommandStatus(status: .success, opcode: opcode).packet())
            testbed.run()
        }
        #expect(timings == [.failure(.notConnected)])
        #expect(phys == [.failure(.notConnected)])
    }
}
