import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Events of a central manager")
struct CBCentralManagerEventsTests {
    /// Takes the manager's commands, which its session does not get.
    private static func commands(of manager: CBCentralManager) -> [String] {
        var commands: [CentralCommand] = []
        manager.context.commands.drain { commands += $0 }
        return commands.map { command in
            switch command {
            case .resumeReceiving(let id): "resume \(id.attempt)"
            case .endSeen(let id): "end seen \(id.attempt)"
            case .stopSeen: "stop seen"
            case .connect(let id, _, _, _): "connect \(id.attempt)"
            case .cancelConnection(let id): "cancel \(id.attempt)"
            case .scan: "scan"
            case .stopScan: "stop scan"
            default: "other"
            }
        }
    }

    /// Delivers events, and returns the manager's commands.
    private static func receive(_ events: [CentralEvent], by manager: CBCentralManager) -> [String] {
        var events = events
        manager.receive(&events)
        return self.commands(of: manager)
    }

    /// An idle connection to a discovered ball.
    private struct Setup {
        let talk = Conversation()
        let peripheral: CBPeripheral
        let answer: CBCharacteristic
        let handle: AttributeHandle

        init() throws {
            let (peripheral, _, answer) = try self.talk.discover()
            (self.peripheral, self.answer) = (peripheral, answer)
            self.handle = try #require(answer.record?.valueHandle)
            self.talk.testbed.run()
            self.talk.central.calls = []
        }

        var manager: CBCentralManager { self.talk.central.manager }
        var calls: [String] { self.talk.central.calls }
        var id: ConnectionID { self.peripheral.connectionID }
        /// The connection before the present one.
        var earlier: ConnectionID { ConnectionID(token: self.id.token, attempt: self.id.attempt &- 1) }

        func receive(_ events: CentralEvent...) -> [String] {
            CBCentralManagerEventsTests.receive(events, by: self.manager)
        }
    }

    /// One event of each kind that concerns a present connection only.
    private static func events(of id: ConnectionID, _ handle: AttributeHandle) -> [CentralEvent] {
        [
            .name(id, "Ball"), .signal(.success(RSSI(rawValue: -40)), of: id), .canSend(id),
            .mtu(id, 50, ReceiveWindow()),
            .subscriptionLost(id, handle, .transactionTimeout), .channelRefused(id, CBError.reported(.unknown)),
            .value(id, handle, ByteBuffer(string: "Yes"), ReceiveWindow()), .unknownChannelEnded(id, 0x80),
            .servicesInvalidated(id, 1...0xFFFF, ReceiveWindow()),
        ]
    }

    @Test("delivers each event of the present connection, in order")
    func present() throws {
        let setup = try Setup()
        let lines = logLines {
            var events = Self.events(of: setup.id, setup.handle)
            setup.manager.receive(&events)
        }
        #expect(
            setup.calls == [
                "name Ball", "rssi", "ready", "notifying false CBErrorDomain 6", "channel CBErrorDomain 0", "value",
                "modified \(IDs.service.uuidString)",
            ]
        )
        #expect(setup.answer.value == Data("Yes".utf8) && setup.peripheral.services?.isEmpty == true)
        #expect(setup.peripheral.maximumWriteValueLength(for: .withoutResponse) == 47)
        #expect(lines.count == 1 && lines.first?.hasSuffix(" with psm 128") == true)
    }

    @Test("6.4 drops events of an earlier connection, of a cancelled one, or of a freed peripheral")
    func stale() throws {
        for isCancelled in [true, false] {
            let setup = try Setup()
            if isCancelled {
                setup.manager.cancelPeripheralConnection(setup.peripheral)
                #expect(Self.commands(of: setup.manager) == ["cancel \(setup.id.attempt)"])
            }
            let gone = ConnectionID(
                token: PeripheralToken(index: setup.id.token.index, generation: setup.id.token.generation + 1),
                attempt: setup.id.attempt
            )
            let lines = logLines {
                for id in isCancelled ? [setup.id, setup.earlier] : [setup.earlier, gone] {
                    var events = Self.events(of: id, setup.handle)
                    setup.manager.receive(&events)
                }
            }
            #expect(lines.isEmpty && setup.calls.isEmpty && Self.commands(of: setup.manager).isEmpty)
            #expect(setup.peripheral.name == "Crystal" && setup.answer.value == nil)
            #expect(setup.peripheral.services?.count == 1 && setup.peripheral.mtu > 50)
        }
    }

    @Test("6.4 6.7 clears attributes, MTU and window when a connection ends", arguments: 0..<4)
    func ended(how: Int) throws {
        let setup = try Setup()
        let (peripheral, id) = (setup.peripheral, setup.id)
        setup.answer.notifyingStorage = true
        for _ in 0..<TransmitWindow.size { peripheral.writeWindow.add() }
        peripheral.invalidations = 3
        #expect(!peripheral.canSendWriteWithoutResponse)
        let commands: [String]
        switch how {
        case 0: commands = setup.receive(.disconnected(id, nil, timestamp: 1, isReconnecting: false))
        case 1:
            let error = CBError.reported(.connectionTimeout)
            commands = setup.receive(.disconnected(id, error, timestamp: 1, isReconnecting: true))
        case 2: commands = setup.receive(.failedToConnect(id, HCIErrorCode(rawValue: 0x3E)))
        default: commands = setup.receive(.state(.poweredOff))
        }
        let expected: [(calls: [String], commands: [String])] = [
            (["disconnect 0"], ["end seen \(id.attempt)"]), (["disconnect 1 CBErrorDomain 6"], []),
            (["fail CBErrorDomain 10"], ["end seen \(id.attempt)"]), (["state 4"], ["stop seen"]),
        ]
        #expect(setup.calls == expected[how].calls && commands == expected[how].commands)
        #expect(peripheral.state == (how == 1 ? .connecting : .disconnected))
        #expect(peripheral.mtu == 23 && peripheral.writeWindow.count == 0 && peripheral.writeWindow.canSend)
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
        #expect(
            peripheral.services == nil && peripheral.characteristic(setup.handle) == nil && !setup.answer.isNotifying
        )
        #expect(peripheral.invalidations == (how == 1 ? 4 : 0) && !peripheral.canSendWriteWithoutResponse)
        #expect(peripheral.isValid)
    }
}
