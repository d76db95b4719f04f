// Random conversations of the 8-ball: balls and those who ask, and a central that knows no rules, do what they may in any
// order, come and go, and get callbacks that are too late; all that they report is on record.

import CoreBluetoothTesting
import Fixtures
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("Random conversations of the 8-ball")
struct RandomizedConversationTests {
    @Test(
        "Whatever is done, each answer is one that a ball gave, and in the end a question is answered",
        arguments: 1...16 as ClosedRange<UInt64>
    )
    func walk(seed: UInt64) throws {
        try withWorld(seed: seed, settings: seed % 2 == 0 ? .instant : .realistic) { world in
            let party = Party(world, seed)
            for step in 1...60 { party.act(step, isDisturbed: seed % 4 == 3) }
            party.end(isDisturbed: seed % 4 == 3)
        }
    }

    @Test("A question comes in parts: each offset, each end and each length, and what becomes of it")
    func parts() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = ForeignCentral(on: testbed.adapter())
        #expect(testbed.run { central.isReady })
        central.write("First?")
        #expect(testbed.run { !central.writes.isEmpty })
        let peer = try #require(ball.sdk._centrals.first?._central)
        let uuid = _static_ITCB_SDK_8BallService_Question_UUID
        let question = CBMutableCharacteristic(type: uuid, properties: .write, value: nil, permissions: .writeable)
        let other = CBMutableCharacteristic(
            type: _static_ITCB_SDK_8BallService_Answer_UUID,
            properties: .write,
            value: nil,
            permissions: .writeable
        )
        func outcome(_ parts: [(offset: Int, value: Data?)], isOther: Bool = false) -> String {
            let requests = parts.enumerated().map { index, part in
                CBATTRequest(
                    transaction: .unawaited,
                    central: peer,
                    characteristic: isOther && index == parts.count - 1 ? other : question,
                    offset: part.offset,
                    value: part.value
                )
            }
            let outcome: String
            switch ITCB_SDK_Peripheral._question(in: requests) {
            case .success(let text): outcome = "asks \(text)"
            case .failure(let refusal): outcome = "\(refusal.code.rawValue) \(refusal.question)"
            }
            RunRecord.note("\(parts.map { "\($0.offset) \($0.value?.hex ?? "nil")" }) \(isOther) \(outcome)")
            return outcome
        }
        for first in [Data(), Data("a?".utf8), Data("abc?".utf8), Data([0xC3]), nil] {
            for offset in 0...6 {
                for second in [Data(), Data("?".utf8), Data("é?".utf8), Data([0xA9, 0x3F]), Data("x".utf8), nil] {
                    for isOther in [false, true] { _ = outcome([(0, first), (offset, second)], isOther: isOther) }
                }
            }
        }
        for count in [510, 511, 512, 513] {
            let text = Data(repeating: 0x61, count: count - 1) + Data("?".utf8)
            #expect(outcome([(0, text)]).hasPrefix("asks") == (count <= 512))
            #expect(outcome([(0, text.prefix(100)), (100, text.dropFirst(100))]).hasPrefix("asks") == (count <= 512))
        }
        #expect(
            outcome([(1, Data("?".utf8))]) == "7 "
                && outcome([(0, Data("a?".utf8)), (1, Data("b?".utf8))]) == "asks ab?"
        )
    }
}

/// Who asks whom.
private final class Party {
    private let world: World
    private var numbers: SeededAnswers
    private var devices: [Device] = []
    private var balls: [Ball] = []
    private var askers: [Asker] = []
    private let foreign: ForeignCentral
    private var count = 0

    init(_ world: World, _ seed: UInt64) {
        self.world = world
        numbers = SeededAnswers(state: seed &* 0x9E37_79B9_7F4A_7C15)
        func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &numbers)! }
        let foreignDevice = world.addDevice("foreign", mtu: seed % 3 == 0 ? 23 : 517)
        foreign = ForeignCentral(on: foreignDevice.adapter)
        devices.append(foreignDevice)
        for index in 0..<pick([1, 2]) {
            let device = world.addDevice("ball \(index)", mtu: pick([23, 64, 517]))
            devices.append(device)
            let ball = Ball("Ball \(index)", on: device.adapter, scheduler: WorldScheduler(world), seed: seed)
            ball.sdk.answersByHand = pick([false, false, true])
            balls.append(ball)
        }
        for index in 0..<pick([1, 2]) {
            let device = world.addDevice("asker \(index)", mtu: pick([23, 185, 517]))
            devices.append(device)
            let asker = Asker(on: device.adapter, scheduler: WorldScheduler(world))
            asker.sdk.answerTimeLimit = pick([2, 2, 10])
            asker.sdk.userIdleTime = pick([nil, nil, { 1 }, { 5 }])
            askers.append(asker)
        }
    }

    private func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &numbers)! }

    private func makeQuestion() -> String {
        count += 1
        let length = pick([1, 3, 18, 19, 20, 21, 100, 509, 510, 511, 512, 513])
        let text = String(("\(count) " + String(repeating: "x", count: 600)).prefix(length - 1))
        return text + pick(["?", "?", "?", "?", ".", ""])
    }

    private func makeAnswer() -> String {
        let length = pick([0, 1, 14, 19, 20, 21, 61, 62, 511, 512, 513, 514, 515])
        return pick([true, true, false]) ? "SLUG-ANSWER-07" : String(repeating: "y", count: length)
    }

    /// Does something at random.
    func act(_ step: Int, isDisturbed: Bool) {
        let ball = pick(balls)
        let asker = pick(askers)
        let device = pick(devices)
        switch Int.random(in: 0..<(isDisturbed ? 24 : 18), using: &numbers) {
        case 0, 1, 2, 3: asker.sdk.devices.randomElement(using: &numbers)?.sendQuestion(makeQuestion())
        case 4, 5: ball.sdk.central?.sendAnswer(makeAnswer(), toQuestion: "by hand?")
        case 6: ball.sdk._centrals.randomElement(using: &numbers)?.sendAnswer(makeAnswer(), toQuestion: "to whom?")
        case 7: device.isPowered.toggle()
        case 8: device.distance = pick([0.05, 1, 2, 8, 30, 1_000])
        case 9: for device in devices { (device.isPowered, device.distance) = (true, 1) }
        case 10: if pick([true, false]) { device.resetController() }
        case 11: if foreign.isExplored { foreign.write(makeQuestion()) }
        case 12: if foreign.isExplored { foreign.subscribe(pick([true, false])) }
        case 13: if foreign.isExplored { foreign.read() }
        case 14: ball.sdk.localName = pick(["Ball", "Ball", "", "A ball with a name that is too long for a packet"])
        case 15: ball.sdk.answersByHand.toggle()
        case 16:
            let central = ball.sdk.central
            for _ in 0..<pick([3, 30, 63, 64, 65]) { central?.sendAnswer("SLUG-ANSWER-01", toQuestion: "again?") }
        case 17: asker.sdk.readSignals()
        case 18...21: disturb(asker)
        default: disturb(ball)
        }
        world.advance(
            by: pick([
                .zero, .milliseconds(1), .milliseconds(20), .milliseconds(300), .seconds(1), .seconds(2), .seconds(11),
            ])
        )
        RunRecord.note("\(step) \(state)")
    }

    private var anyError: (any Error)? {
        pick([
            nil, nil, CBATTError(.unlikelyError), CBATTError(.insufficientResources), CBATTError(.invalidPdu),
            CBError(.connectionTimeout), CBError(.peerRemovedPairingInformation),
        ])
    }

    /// A callback of Core Bluetooth's that does not fit what happens.
    private func disturb(_ asker: Asker) {
        let sdk = asker.sdk
        guard let manager = sdk.centralManagerInstance,
            let device = sdk.devices.randomElement(using: &numbers) as? ITCB_SDK_Device_Peripheral
        else { return }
        let peripheral = device._peripheral
        let service = device._service
        let characteristic = pick([device._answerCharacteristic, device._questionCharacteristic])
        let error = anyError
        switch Int.random(in: 0..<11, using: &numbers) {
        case 0: sdk.centralManager(manager, didConnect: peripheral)
        case 1: sdk.centralManager(manager, didFailToConnect: peripheral, error: error)
        case 2: sdk.centralManager(manager, didDisconnectPeripheral: peripheral, error: error)
        case 3:
            let data: [String: Any] =
                pick([true, false]) ? [CBAdvertisementDataLocalNameKey: pick(["", "Ball"])] : [:]
            let strength = pick([-61, -60, -59, -21, -20, -19, 0, 126, 127])
            sdk.centralManager(manager, didDiscover: peripheral, advertisementData: data, rssi: strength as NSNumber)
        case 4: device.peripheral(peripheral, didDiscoverServices: error)
        case 5: service.map { device.peripheral(peripheral, didDiscoverCharacteristicsFor: $0, error: error) }
        case 6: characteristic.map { device.peripheral(peripheral, didUpdateNotificationStateFor: $0, error: error) }
        case 7: characteristic.map { device.peripheral(peripheral, didUpdateValueFor: $0, error: error) }
        case 8: characteristic.map { device.peripheral(peripheral, didWriteValueFor: $0, error: error) }
        case 9: device.peripheral(peripheral, didModifyServices: pick([true, false]) ? service.map { [$0] } ?? [] : [])
        default:
            device.rejectConnectionBecause(
                pick([.deviceBusy, .questionPlease, .unknown(nil), .peripheralError(error)])
            )
        }
    }

    private func disturb(_ ball: Ball) {
        let sdk = ball.sdk
        guard let manager = sdk.peripheralManagerInstance else { return }
        let characteristics = ITCB_SDK_Peripheral._makeService().characteristics ?? []
        let central = sdk._centrals.randomElement(using: &numbers)?._central
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: sdk.peripheralManagerIsReady(toUpdateSubscribers: manager)
        case 1: sdk.peripheralManagerDidStartAdvertising(manager, error: anyError)
        case 2: sdk.peripheralManager(manager, didAdd: ITCB_SDK_Peripheral._makeService(), error: anyError)
        case 3: central.map { sdk.peripheralManager(manager, central: $0, didUnsubscribeFrom: pick(characteristics)) }
        default: central.map { sdk.peripheralManager(manager, central: $0, didSubscribeTo: pick(characteristics)) }
        }
    }

    private var state: String {
        let balls = balls.map { ball in
            let centrals = ball.sdk._centrals.map { central in
                "\(central._stage) \(central._isSubscribed) \(central._isBusy) \(central._isOutOfRoom) \(central._readableAnswer.count)"
            }
            return
                "\(ball.sdk._waitingAnswers.count) \(centrals) \(ball.sdk.central?.name ?? "-") \(ball.sdk.isCoreBluetoothPoweredOn)"
        }
        let askers = askers.map { asker in
            let devices = asker.sdk.devices.compactMap { $0 as? ITCB_SDK_Device_Peripheral }.map { device in
                "\(device.name) \(device._stage) \(device._timeoutTimer != nil) \(device._isAnnounced) \(words(device.error))"
            }
            return
                "\(devices) \(asker.sdk._leaving.count) \(asker.sdk._rescan != nil) \(asker.sdk.isCoreBluetoothPoweredOn)"
        }
        return "\(balls) \(askers)"
    }

    /// Lets all of them meet again, and one of them ask.
    func end(isDisturbed: Bool) {
        for device in devices { (device.isPowered, device.distance) = (true, 1) }
        for ball in balls {
            ball.sdk.answersByHand = false
            ball.sdk.localName = "Ball"
        }
        world.advance(by: .seconds(40))
        RunRecord.note("end \(state)")
        for asker in askers {
            let count = asker.answered.count
            let device =
                asker.device("Ball") ?? asker.sdk.devices.compactMap { $0 as? ITCB_SDK_Device_Peripheral }.first
            device?.sendQuestion("The last?")
            world.advance(by: .seconds(12))
            guard !isDisturbed else { continue }
            #expect(asker.answered.count == count + 1 && asker.answered.last?.hasPrefix("The last? ") == true)
        }
    }
}
