// What a central manager does when its adapter stops or is back, with sightings that come late, and when it lets its
// session go on with what was held back.

import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("States and windows of a central manager")
struct CentralFlowTests {
    /// Hands over events, and returns what the manager asks its session for, which does not get it.
    private func receive(_ events: [CentralEvent], by manager: CBCentralManager) -> [String] {
        var events = events
        manager.receive(&events)
        var commands: [CentralCommand] = []
        manager.context.commands.drain { commands += $0 }
        return commands.map { command in
            switch command {
            case .resumeReceiving(let id): "resume \(id.attempt)"
            case .stopSeen: "stop seen"
            case .endSeen: "end seen"
            case .scan: "scan"
            case .stopScan: "stop scan"
            default: "other"
            }
        }
    }

    private func discovery(_ number: UInt64, _ name: String?, rssi: RSSI?) -> Discovery {
        .empty(
            of: PeerDescription(
                identifier: UUID(random: number, 1),
                address: DeviceAddress(number, kind: .public),
                name: name
            ),
            rssi: rssi
        )
    }

    @Test("1.6 1.9 what each state leaves of the scan, the connections and the objects", arguments: 0...5)
    func states(number: Int) throws {
        let state = try #require(CBManagerState(rawValue: number))
        let talk = Conversation()
        let peripheral = try talk.connect()
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run()
        talk.central.calls = []
        let manager: CBCentralManager = talk.central.manager
        let attempt = peripheral.connectionID.attempt
        let commands = self.receive([.state(state)], by: manager)
        #expect(commands == (state == .poweredOn ? [] : ["stop seen"]))
        #expect(talk.central.calls == ["state \(number)"] && manager.state == state)
        #expect(manager.isScanning == (state == .poweredOn))
        #expect(peripheral.state == (state == .poweredOn ? .connected : .disconnected))
        #expect(peripheral.connectionID.attempt == attempt + (state == .poweredOn ? 0 : 1))
        // Below poweredOff the objects are of no more use.
        let isReset = number < 4
        #expect(peripheral.isValid == !isReset)
        // Then it is on again.
        #expect(self.receive([.state(.poweredOn)], by: manager).isEmpty)
        #expect(manager.state == .poweredOn && talk.central.calls.last == "state 5")
        let again = manager.retrievePeripherals(withIdentifiers: [peripheral.identifier])
        #expect(again.count == 1 && (again.first === peripheral) == !isReset)
        let lines = CapturedLog()
        lines.capture { manager.connect(peripheral) }
        #expect(lines.all.count == (isReset ? 1 : 0))
        #expect(lines.all.allSatisfy { $0.contains("is not a valid peripheral of") })
    }

    @Test("4.9 a sighting is told while the app scans; a late one is not, and is counted as taken all the same")
    func sightings() throws {
        let testbed = Testbed()
        let app = CentralApp(on: testbed.adapter("Curious"))
        testbed.run { app.manager.state == .poweredOn }
        let manager: CBCentralManager = app.manager
        for isScanning in [true, false] {
            app.calls = []
            if isScanning { manager.scanForPeripherals(withServices: nil) } else { manager.stopScan() }
            #expect(manager.isScanning == isScanning)
            let window = ReceiveWindow()
            #expect(window.add(Discovery.size) == .none)
            let commands = self.receive([.discovered(self.discovery(7, "Ball", rssi: nil), window)], by: manager)
            #expect(commands == [isScanning ? "scan" : "stop scan"])
            #expect(app.calls == (isScanning ? ["discover Ball"] : []))
            // The whole window is free again, and no more than that.
            #expect(window.add(ReceiveWindow.size - 65) == .none)
            #expect(window.remove(0, events: 0) == false && window.add(0) == .full)
        }
        #expect(app.rssi == [127] && app.found.count == 1)
        // Without a name the device keeps the one that it had.
        manager.scanForPeripherals(withServices: nil)
        let strength = RSSI(rawValue: -33)
        _ = self.receive([.discovered(self.discovery(7, nil, rssi: strength), ReceiveWindow())], by: manager)
        _ = self.receive([.discovered(self.discovery(8, nil, rssi: strength), ReceiveWindow())], by: manager)
        #expect(app.calls == ["discover Ball", "discover -"] && app.rssi == [127, -33, -33])
        #expect(app.found.count == 2 && app.found.first?.name == "Ball")
    }

    /// A window that is full, and of which so many octets more than half are in use.
    private func window(over octets: Int) -> ReceiveWindow {
        let window = ReceiveWindow()
        #expect(window.add(ReceiveWindow.size - 64) == .full)
        #expect(!window.remove(ReceiveWindow.size / 2 - octets, events: 0))
        return window
    }

    @Test("A2: the session goes on as soon as half of a window is taken, with whatever event that is")
    func windows() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        talk.testbed.run()
        let manager: CBCentralManager = talk.central.manager
        let id = peripheral.connectionID
        let handle = try #require(answer.record?.valueHandle)
        let resume = "resume \(id.attempt)"
        // What an event counts beside its octets.
        for (octets, opens) in [(64, true), (65, false)] {
            let expected = opens ? [resume] : []
            #expect(self.receive([.mtu(id, 100, self.window(over: octets))], by: manager) == expected)
            let invalid = CentralEvent.servicesInvalidated(id, 0xFFFE...0xFFFF, self.window(over: octets))
            #expect(self.receive([invalid], by: manager) == expected)
            let value = CentralEvent.value(id, handle, ByteBuffer(), self.window(over: octets))
            #expect(self.receive([value], by: manager) == expected)
            let longer = CentralEvent.value(id, handle, ByteBuffer(repeating: 1, count: 10), self.window(over: octets))
            #expect(self.receive([longer], by: manager) == [resume])
        }
        // Of a connection that is over as well: its peer is held back until then.
        let earlier = ConnectionID(token: id.token, attempt: id.attempt + 7)
        let late = CentralEvent.value(earlier, handle, ByteBuffer(repeating: 1, count: 10), self.window(over: 74))
        #expect(self.receive([late], by: manager) == ["resume \(id.attempt + 7)"])
        // Several events of one window are counted together, those of two windows each for itself.
        let (one, two) = (self.window(over: 128), self.window(over: 64))
        let events: [CentralEvent] = [
            .value(id, handle, ByteBuffer(), one), .canSend(id), .mtu(id, 100, one),
            .value(earlier, handle, ByteBuffer(), two),
        ]
        #expect(self.receive(events, by: manager) == [resume, "resume \(id.attempt + 7)"])
        #expect(!one.isFull && !two.isFull && peripheral.mtu == 100)
    }

    @Test("7.6 a write that cannot be sent says why: too long, not connected, without capacity, in this order")
    func refusedWrites() throws {
        let talk = Conversation()
        let (peripheral, question, _) = try talk.discover()
        talk.testbed.run()
        let longest = peripheral.maximumWriteValueLength(for: .withoutResponse)
        func said(_ count: Int) -> [String] {
            let lines = CapturedLog()
            lines.capture { peripheral.writeValue(Data(count: count), for: question, type: .withoutResponse) }
            return lines.all.map { line -> String in
                if line.contains("are too long for a response-less write to <CBCharacteristic") { return "long" }
                if line.contains("has no capacity for further response-less writes - ignoring one; ") { return "full" }
                return line.contains("can only accept commands while in the connected state") ? "off" : line
            }
        }
        #expect(said(longest) == [] && said(longest + 1) == ["long"] && peripheral.writeWindow.count == 1)
        while peripheral.writeWindow.count < 4_096 { peripheral.writeWindow.add() }
        #expect(said(longest) == ["full"] && said(longest + 1) == ["long"])
        var none: [ByteBuffer] = []
        _ = peripheral.writeWindow.remove(1, buffers: &none)
        #expect(said(0) == [] && said(0) == ["full"] && peripheral.writeWindow.count == 4_096)
        talk.central.manager.cancelPeripheralConnection(peripheral)
        #expect(said(longest) == ["off"] && said(longest + 1) == ["long"])
    }

    @Test("7.6 where a test wants writes to be lost that overrun the window, the window is the limit")
    func lostWrites() throws {
        let testbed = Testbed()
        var configuration = BluetoothAdapter.Configuration(identity: "Curious")
        configuration.losesOverrunningWrites = true
        let ball = PeripheralApp(on: testbed.adapter("Crystal"))
        let central = CentralApp(on: BluetoothAdapter(air: testbed.air, configuration: configuration))
        testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        let peripheral = try central.connect(in: testbed)
        let question = try peripheral.discover([IDs.service], in: testbed).characteristic(IDs.question)
        let lines = CapturedLog()
        lines.capture {
            for number in 0..<TransmitWindow.size + 3 {
                #expect(peripheral.canSendWriteWithoutResponse == (number < TransmitWindow.size))
                peripheral.writeValue("\(number)".octets, for: question, type: .withoutResponse)
            }
        }
        #expect(lines.all.count == 3 && lines.all.allSatisfy { $0.contains("has no capacity") })
        testbed.run()
        #expect(ball.written == (0..<TransmitWindow.size).map { "\($0)".octets })
        #expect(central.count("ready") == 1 && peripheral.canSendWriteWithoutResponse)
    }
}
