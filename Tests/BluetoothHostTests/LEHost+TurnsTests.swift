// The one timer of a host: it fires at each deadline, however near that is, and whatever it was armed for before.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: deadlines")
struct LEHostTurnsTests {
    private let peers = (1...3 as ClosedRange<UInt64>).map { DeviceAddress(0xC000_0000_0000 | $0, kind: .random) }

    /// The end of one private address, and the next one.
    private static let renewal = ["advertising ends", "address", "advertise as 1", "advertising"]

    /// A host whose controller may take this long for the answer to a command.
    private func started(
        commandTimeout: TimeAmount,
        _ prepare: (ScriptedController) -> Void = { _ in }
    ) -> HostTestbed {
        let testbed = HostTestbed(LEHostConfiguration(commandTimeout: commandTimeout))
        prepare(testbed.controller)
        testbed.start()
        return testbed
    }

    // MARK: Private addresses

    @Test("A private address is used for its time also where a command may take longer")
    func shortRotation() {
        let device = PrivateHost(PrivacyConfiguration(rotationInterval: .seconds(1)), hasList: false)
        device.advertise()
        #expect(device.takeSteps() == ["address", "advertise as 1", "advertising"])
        for _ in 0..<3 {
            device.testbed.run(.seconds(1) - .nanoseconds(1))
            #expect(device.takeSteps() == [])
            device.testbed.run(.nanoseconds(1))
            #expect(device.takeSteps() == Self.renewal)
        }
        #expect(Set(device.randomAddresses).count == 4 && device.mistakes == [])
    }

    @Test("A private address that is used again near the end of its time is replaced at that end")
    func usedAgain() {
        let device = PrivateHost(hasList: false)
        device.advertise()
        device.host.stopAdvertising()
        device.testbed.run()
        #expect(device.takeSteps() == ["address", "advertise as 1", "advertising", "advertising ends"])
        device.testbed.run(.seconds(899))
        device.advertise()
        #expect(device.takeSteps() == ["advertise as 1", "advertising"])
        device.testbed.run(.seconds(1) - .nanoseconds(1))
        #expect(device.takeSteps() == [])
        device.testbed.run(.nanoseconds(1))
        #expect(device.takeSteps() == Self.renewal)
        #expect(Set(device.randomAddresses).count == 2 && device.mistakes == [])
    }

    // MARK: Pending connections

    @Test("Devices that the accept list cannot hold have their turn after 5 s also where a command may take longer")
    func rotation() {
        let testbed = self.started(commandTimeout: .seconds(20)) { $0.acceptListSize = 1 }
        testbed.controller.scansOrInitiates()
        for peer in self.peers { testbed.host.connect(to: peer) }
        testbed.run()
        for count in 1...2 {
            testbed.run(.seconds(5) - .nanoseconds(1))
            #expect(testbed.controller.createdPeers == Array(self.peers.prefix(count)))
            testbed.run(.nanoseconds(1))
            #expect(testbed.controller.createdPeers == Array(self.peers.prefix(count + 1)))
        }
    }

    @Test("A device that is heard is initiated to for 5 s also where a command may take longer")
    func attempt() {
        let testbed = self.started(commandTimeout: .seconds(20))
        testbed.controller.scansOrInitiates()
        testbed.host.bondedPeers = [PrivateHost.peer]
        testbed.host.startScanning(ScanParameters())
        testbed.host.connect(to: PrivateHost.peer.address)
        testbed.run()
        let address = PrivateHost.peerAddress()
        testbed.controller.deliver(
            LEAdvertisingReports([
                LEAdvertisingReport(
                    eventType: .connectableUndirected,
                    address: address,
                    data: hex("02 01 06"),
                    rssi: -40
                )
            ]).packet()
        )
        testbed.run()
        #expect(testbed.controller.createdPeers.last == address)
        testbed.forget()
        testbed.run(.seconds(5) - .nanoseconds(1))
        #expect(testbed.controller.takeCommands() == [])
        testbed.run(.nanoseconds(1))
        #expect(testbed.controller.takeCommands().first == LECreateConnectionCancel.opcode)
    }

    // MARK: Links

    @Test("A server has 30 s for its answer also where a controller has longer for its own (Vol 3, Part F, 3.3.3)")
    func transaction() throws {
        let testbed = self.started(commandTimeout: .seconds(60))
        let link = try #require(testbed.acceptLink(0x40))
        var results: [Result<ByteBuffer, GATTError>] = []
        testbed.host.perform(ReadValue(3), on: link) { results.append($0) }
        testbed.run(.seconds(30) - .nanoseconds(1))
        #expect(results.isEmpty)
        testbed.run(.nanoseconds(1))
        #expect(results == [.failure(.transactionTimeout)])
    }

    @Test("A request for connection parameters that has to wait leaves 30 s after the answer to the one before")
    func waitingRequest() throws {
        let testbed = self.started(commandTimeout: .seconds(2))
        let link = try #require(testbed.acceptLink(0x40))
        testbed.host.requestConnectionParameters(.initial, of: link)
        testbed.run()
        testbed.controller.receive(0x40, channel: 5, [0x13, 0x01, 0x02, 0x00, 0x00, 0x00])
        testbed.run(.seconds(29))
        #expect(testbed.controller.takeData().count == 1)
        // It has 2 s for its answer, which is later than the request is due.
        testbed.host.readRSSI(of: link) { _ in }
        testbed.run()
        testbed.host.requestConnectionParameters(.initial, of: link)
        testbed.run(.seconds(1) - .nanoseconds(1))
        #expect(testbed.controller.takeData().isEmpty)
        testbed.run(.nanoseconds(1))
        let sent = testbed.controller.takeData().map { hex($0.bytes) }
        #expect(sent == ["02 40 00 10 00 0C 00 05 00 12 02 08 00 18 00 18 00 00 00 48 00"])
    }

    @Test("A request that begins to wait when a time limit ends changes no other time limit")
    func waitingRequestBesideOthers() throws {
        let testbed = self.started(commandTimeout: .seconds(60))
        let links = try ([0x40, 0x41, 0x42] as [UInt16]).map { try #require(testbed.acceptLink($0)) }
        var results: [Result<ByteBuffer, GATTError>] = []
        testbed.host.requestConnectionParameters(.initial, of: links[0])
        testbed.host.perform(ReadValue(3), on: links[1]) {
            results.append($0)
            testbed.host.requestConnectionParameters(.initial, of: links[0])
        }
        testbed.run(.seconds(2))
        testbed.host.perform(ReadValue(3), on: links[2]) { results.append($0) }
        testbed.run(.seconds(3))
        testbed.controller.receive(0x40, channel: 5, [0x13, 0x01, 0x02, 0x00, 0x00, 0x00])
        testbed.run(.seconds(25))
        #expect(results == [.failure(.transactionTimeout)])
        testbed.run(.seconds(2) - .nanoseconds(1))
        #expect(results.count == 1)
        testbed.run(.nanoseconds(1))
        #expect(results.count == 2)
        _ = testbed.controller.takeData()
        testbed.run(.seconds(3) - .nanoseconds(1))
        #expect(testbed.controller.takeData().isEmpty)
        testbed.run(.nanoseconds(1))
        #expect(testbed.controller.takeData().count == 1)
    }
}
