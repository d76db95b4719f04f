// The turns and the one timer of a host.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: turns and deadlines")
struct LEHostTurnsTests {
    // MARK: Calls together

    @Test("carries out several calls together if packets leave the process")
    func callsTogether() throws {
        for leavesProcess in [false, true] {
            let testbed = HostTestbed.started { $0.leavesProcess = leavesProcess }
            let (link, characteristic) = try testbed.subscribe(0x40, from: HostTestbed.peers[0])
            let isCarriedOut = testbed.host.takeCalls {
                testbed.notify([1, 2, 3], count: 2, of: characteristic, to: link)
                #expect(testbed.controller.takeData().isEmpty, "nothing happens inside the calls")
            }
            #expect(isCarriedOut == leavesProcess)
            #expect(testbed.controller.takeData().count == (leavesProcess ? 2 : 0))
            #expect(testbed.host.sentBuffers.count == (leavesProcess ? 2 : 0), "their buffers are kept for reuse")
            testbed.run()
            #expect(testbed.controller.takeData().count == (leavesProcess ? 0 : 2))
            #expect(!testbed.host.takeCalls {}, "nothing was requested")
        }
    }

    @Test("carries out nested calls with the outer ones, and calls before a due turn in that turn")
    func nestedCalls() throws {
        let testbed = HostTestbed.started { $0.leavesProcess = true }
        let link = try #require(testbed.acceptLink(0x40))
        _ = testbed.controller.takeData()
        func write() { testbed.host.writeWithoutResponse(hex("AA"), to: 3, on: link) }
        let isCarriedOut = testbed.host.takeCalls {
            write()
            let isInnerCarriedOut = testbed.host.takeCalls { write() }
            #expect(!isInnerCarriedOut, "the outer ones are still being made")
            #expect(testbed.controller.takeData().isEmpty)
        }
        #expect(isCarriedOut && testbed.controller.takeData().count == 2)
        write()
        let isCarriedOutAtOnce = testbed.host.takeCalls { write() }
        #expect(!isCarriedOutAtOnce && testbed.controller.takeData().isEmpty)
        testbed.run()
        #expect(testbed.controller.takeData().count == 2)
        // Afterwards everything is as before.
        write()
        testbed.run()
        #expect(testbed.controller.takeData().count == 1)
        testbed.host.detach()
        testbed.run()
        var isMade = false
        let isCarriedOutWithoutController = testbed.host.takeCalls { isMade = true }
        #expect(isMade && !isCarriedOutWithoutController)
    }

    // MARK: Private addresses

    /// The end of one private address, and the next one.
    private static let renewal = ["advertising ends", "address", "advertise as 1", "advertising"]

    @Test("replaces a private address in time, even if a command may take longer")
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

    @Test("replaces a private address that is used again near its end at that end")
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

    // MARK: Links

    @Test("sends a waiting request for connection parameters 30 s after the last answer")
    func waitingRequest() throws {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.acceptLink(0x40))
        testbed.host.requestConnectionParameters(.initial, of: link)
        testbed.run()
        testbed.controller.receive(0x40, channel: 5, [0x13, 0x01, 0x02, 0x00, 0x00, 0x00])
        testbed.run(.seconds(29))
        #expect(testbed.controller.takeData().count == 1)
        // Its answer may take 2 s, longer than the request may wait.
        testbed.host.readRSSI(of: link) { _ in }
        testbed.run()
        testbed.host.requestConnectionParameters(.initial, of: link)
        testbed.run(.seconds(1) - .nanoseconds(1))
        #expect(testbed.controller.takeData().isEmpty)
        testbed.run(.nanoseconds(1))
        let sent = testbed.controller.takeData().map { hex($0.bytes) }
        #expect(sent == ["02 40 00 10 00 0C 00 05 00 12 02 08 00 18 00 18 00 00 00 48 00"])
    }

    @Test("keeps all deadlines if a request begins to wait while another one ends")
    func waitingRequestBesideOthers() throws {
        let testbed = HostTestbed.started(LEHostConfiguration(commandTimeout: .seconds(60)))
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

    @Test("ends a pairing 30 s after its beginning, and restarts the time on the next link")
    func pairingTime() throws {
        let testbed = HostTestbed.started()
        testbed.run(.seconds(7))
        let first = try #require(testbed.acceptLink(0x40))
        let link = try #require(testbed.host.openLinks[first])
        testbed.run(.seconds(4))
        #expect(link.securityManager.deadline == nil)
        testbed.receive(6, "01 03 00 01 10 00 00")
        testbed.run(.seconds(30) - .nanoseconds(1))
        #expect(link.securityManager.isPairing)
        testbed.run(.nanoseconds(1))
        #expect(!link.securityManager.isPairing && link.securityManager.isTimedOut)
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run(.seconds(10))
        let second = try #require(testbed.acceptLink(0x40))
        testbed.host.pair(second)
        testbed.run()
        let manager = try #require(testbed.host.openLinks[second]?.securityManager)
        #expect(!manager.isTimedOut && manager.deadline == testbed.loop.now + .seconds(30))
    }
}
