// Events that reach a central manager, one by one and with all that they change: of the present connection, of an
// earlier one, of a peripheral that is gone; and what the manager asks of its session with them.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Events of a central manager")
struct CentralEventsTests {
    /// A central that is connected to a ball and has discovered it, with nothing on its way.
    private struct Setup {
        let talk: Conversation
        let peripheral: CBPeripheral
        let answer: CBCharacteristic

        init() throws {
            let talk = Conversation()
            let (peripheral, _, answer) = try talk.discover()
            talk.testbed.run()
            talk.central.calls = []
            self.talk = talk
            self.peripheral = peripheral
            self.answer = answer
        }

        var manager: CBCentralManager { self.talk.central.manager }
        var id: ConnectionID { self.peripheral.connectionID }
        /// The connection before the present one.
        var earlier: ConnectionID { ConnectionID(token: self.id.token, attempt: self.id.attempt &- 1) }

        /// Hands over events, and returns what the manager asks its session for.
        func receive(_ events: CentralEvent...) -> [String] {
            var events = events
            self.manager.receive(&events)
            return self.commands()
        }

        /// What the manager has asked its session for, which does not get it.
        func commands() -> [String] {
            var commands: [CentralCommand] = []
            self.manager.context.commands.drain { commands += $0 }
            return commands.map { command in
                switch command {
                case .resumeReceiving(let id): "resume \(id.attempt)"
                case .endSeen(let id): "end seen \(id.attempt)"
                case .stopSeen: "stop seen"
                case .connect(let id, _, _, _): "connect \(id.attempt)"
                case .cancelConnection(let id): "cancel \(id.attempt)"
                default: "other"
                }
            }
        }
    }

    @Test("5.6 a name that is known already is not reported again")
    func names() throws {
        let setup = try Setup()
        #expect(setup.peripheral.name == "Crystal")
        #expect(setup.receive(.name(setup.id, "Crystal"), .name(setup.id, "Ball"), .name(setup.id, "Ball")).isEmpty)
        #expect(setup.talk.central.calls == ["name Ball"] && setup.peripheral.name == "Ball")
    }

    @Test("7.10 a strength is kept until the next one; one that could not be read leaves it")
    func strengths() throws {
        let setup = try Setup()
        let strengths: [RSSI?] = [RSSI(rawValue: -40), nil, RSSI(rawValue: -81)]
        for strength in strengths {
            _ = setup.receive(.rssi(setup.id, .success(strength)))
            let dBm = strength.map { Int($0.rawValue) } ?? 127
            #expect(setup.peripheral.rssiStorage?.intValue == dBm)
            #expect(setup.talk.central.rssi.last?.intValue == dBm && setup.talk.central.calls.last == "rssi")
        }
        _ = setup.receive(.rssi(setup.id, .failure(.notConnected)))
        #expect(setup.peripheral.rssiStorage?.intValue == -81)
        #expect(setup.talk.central.calls.last == "rssi CBErrorDomain 3" && setup.talk.central.rssi.last == 127)
    }

    @Test("7.8 a subscription that is lost is reported with its reason, of a characteristic that is known")
    func lostSubscriptions() throws {
        let setup = try Setup()
        let handle = try #require(setup.answer.record?.valueHandle)
        for (error, call) in [
            (.att(.insufficientEncryption, handle: handle), "notifying false CBATTErrorDomain 15"),
            (.att(.attributeNotFound, handle: handle), "notifying false CBErrorDomain 1"),
            (.transactionTimeout, "notifying false CBErrorDomain 6"),
        ] as [(GATTError, String)] {
            setup.answer.notifyingStorage = true
            _ = setup.receive(.subscriptionLost(setup.id, handle, error))
            #expect(setup.talk.central.calls.last == call && !setup.answer.isNotifying)
        }
        let count = setup.talk.central.calls.count
        setup.answer.notifyingStorage = true
        _ = setup.receive(.subscriptionLost(setup.id, 0xFFF0, .transactionTimeout))
        #expect(setup.talk.central.calls.count == count && setup.answer.isNotifying)
    }

    /// One event of each kind that only concerns a present connection.
    private static func events(of id: ConnectionID, _ handle: AttributeHandle) -> [CentralEvent] {
        [
            .name(id, "Ball"), .rssi(id, .success(RSSI(rawValue: -40))), .canSend(id), .mtu(id, 50, ReceiveWindow()),
            .subscriptionLost(id, handle, .transactionTimeout), .channelRefused(id, CBError.reported(.unknown)),
            .value(id, handle, ByteBuffer(string: "Yes"), ReceiveWindow()), .unknownChannelEnded(id, 0x80),
            .servicesInvalidated(id, 1...0xFFFF, ReceiveWindow()),
        ]
    }

    @Test("6.4 what comes of an earlier connection, of a cancelled one, or of a peripheral that is gone is dropped")
    func stale() throws {
        for isCancelled in [true, false] {
            let setup = try Setup()
            let handle = try #require(setup.answer.record?.valueHandle)
            if isCancelled {
                setup.manager.cancelPeripheralConnection(setup.peripheral)
                #expect(setup.commands() == ["cancel \(setup.id.attempt)"])
            }
            let gone = ConnectionID(
                token: PeripheralToken(index: setup.id.token.index, generation: setup.id.token.generation + 1),
                attempt: setup.id.attempt
            )
            let lines = CapturedLog()
            lines.capture {
                for id in isCancelled ? [setup.id, setup.earlier] : [setup.earlier, gone] {
                    var events = Self.events(of: id, handle)
                    setup.manager.receive(&events)
                }
            }
            #expect(lines.all.isEmpty && setup.talk.central.calls.isEmpty && setup.commands().isEmpty)
            #expect(setup.peripheral.name == "Crystal" && setup.answer.value == nil)
            #expect(setup.peripheral.services?.count == 1 && setup.peripheral.mtu > 50)
        }
    }

    @Test("each event of the present connection is taken in and told, in order")
    func present() throws {
        let setup = try Setup()
        let handle = try #require(setup.answer.record?.valueHandle)
        let lines = CapturedLog()
        lines.capture {
            var events = Self.events(of: setup.id, handle)
            setup.manager.receive(&events)
        }
        #expect(
            setup.talk.central.calls == [
                "name Ball", "rssi", "ready", "notifying false CBErrorDomain 6", "channel CBErrorDomain 0", "value",
                "modified \(IDs.service.uuidString)",
            ]
        )
        #expect(setup.answer.value == Data("Yes".utf8) && setup.peripheral.services?.isEmpty == true)
        #expect(setup.peripheral.maximumWriteValueLength(for: .withoutResponse) == 47)
        #expect(lines.all.count == 1 && lines.all.first?.hasSuffix(" with psm 128") == true)
    }

    @Test("7.12 a service is invalid where any of its handles is, and with it all that is in it", arguments: 0..<6)
    func invalidated(place: Int) throws {
        let setup = try Setup()
        let service = try #require(setup.peripheral.services?.first)
        let handles = try #require(service.handles)
        let handle = try #require(setup.answer.record?.valueHandle)
        let (first, last) = (handles.lowerBound, handles.upperBound)
        let ranges: [(AttributeHandleRange, Bool)] = [
            (1...(first - 1), false), (1...first, true), (first...last, true), (last...last, true),
            (last...0xFFFF, true), ((last + 1)...0xFFFF, false),
        ]
        let (range, isInvalid) = ranges[place]
        let before = setup.peripheral.invalidations
        _ = setup.receive(.servicesInvalidated(setup.id, range, ReceiveWindow()))
        #expect(setup.talk.central.calls == ["modified \(isInvalid ? IDs.service.uuidString : "")"])
        #expect(setup.peripheral.services?.count == (isInvalid ? 0 : 1))
        #expect((setup.peripheral.attributes.services[first] == nil) == isInvalid)
        #expect((setup.peripheral.characteristic(handle) == nil) == isInvalid)
        #expect(setup.peripheral.invalidations == before + 1)
        _ = setup.receive(.servicesInvalidated(setup.id, range, ReceiveWindow()))
        #expect(setup.talk.central.calls.last == "modified " && setup.talk.central.calls.count == 2)
        #expect(setup.peripheral.invalidations == before + 2)
    }

    @Test("6.4 6.7 of a connection that has ended no attribute, MTU or window is left", arguments: 0..<4)
    func ended(how: Int) throws {
        let setup = try Setup()
        let (peripheral, id) = (setup.peripheral, setup.id)
        let handle = try #require(setup.answer.record?.valueHandle)
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
        #expect(setup.talk.central.calls == expected[how].calls && commands == expected[how].commands)
        #expect(peripheral.state == (how == 1 ? .connecting : .disconnected))
        #expect(peripheral.mtu == 23 && peripheral.writeWindow.count == 0 && peripheral.writeWindow.canSend)
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
        #expect(peripheral.services == nil && peripheral.characteristic(handle) == nil && !setup.answer.isNotifying)
        #expect(peripheral.invalidations == (how == 1 ? 4 : 0) && !peripheral.canSendWriteWithoutResponse)
        #expect(peripheral.isValid)
    }

    @Test("6.4 an end is taken note of, also where the peripheral is gone; the app is then told nothing")
    func endOfGone() throws {
        let setup = try Setup()
        let gone = ConnectionID(token: PeripheralToken(index: 0, generation: 77), attempt: 5)
        let status = HCIErrorCode(rawValue: 0x3E)
        #expect(setup.receive(.disconnected(gone, nil, timestamp: 1, isReconnecting: false)) == ["end seen 5"])
        #expect(setup.receive(.disconnected(gone, nil, timestamp: 1, isReconnecting: true)).isEmpty)
        #expect(setup.receive(.failedToConnect(gone, status)) == ["end seen 5"])
        #expect(setup.receive(.connected(gone, mtu: 50, TransmitWindow())).isEmpty)
        #expect(setup.talk.central.calls.isEmpty && setup.peripheral.state == .connected)
    }

    @Test("6.2 a connection that is reported once more keeps its MTU and its window; one that is cancelled is not told")
    func connectedAgain() throws {
        let setup = try Setup()
        let peripheral = setup.peripheral
        let (mtu, window, attempt) = (peripheral.mtu, peripheral.writeWindow, setup.id.attempt)
        setup.manager.connect(peripheral)
        #expect(setup.commands() == ["connect \(attempt)"])
        #expect(setup.receive(.connected(setup.id, mtu: 50, TransmitWindow())).isEmpty)
        #expect(setup.talk.central.calls == ["connect 2"])
        #expect(peripheral.mtu == mtu && peripheral.writeWindow === window && peripheral.services?.count == 1)
        setup.manager.cancelPeripheralConnection(peripheral)
        _ = setup.receive(.connected(setup.id, mtu: 50, TransmitWindow()))
        #expect(setup.talk.central.calls == ["connect 2"] && peripheral.state == .disconnecting)
        // A new attempt has an MTU and a window of its own.
        _ = setup.receive(.disconnected(setup.id, nil, timestamp: 1, isReconnecting: false))
        setup.manager.connect(peripheral)
        #expect(setup.commands() == ["connect \(attempt + 1)"])
        let next = TransmitWindow()
        _ = setup.receive(.connected(setup.id, mtu: 50, next))
        #expect(peripheral.mtu == 50 && peripheral.writeWindow === next && peripheral.canSendWriteWithoutResponse)
        #expect(setup.talk.central.calls.suffix(2) == ["disconnect 0", "connect 2"])
    }
}
