// The apps of the scenarios beside the phone: a sender of notifications, and the users of the two SDKs.

import CoreBluetooth
import CoreBluetoothTesting
import Foundation

@testable import BlueEar
@testable import ITCB

/// A peripheral app that notifies its subscribers as fast as the queue takes values.
final class TracedSender: NSObject, CBPeripheralManagerDelegate {
    private unowned let world: World
    private var manager: CBPeripheralManager!
    private let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: "2A1C"),
        properties: .notify,
        value: nil,
        permissions: .readable
    )
    private var pending: [Data] = []
    private(set) var subscriberCount = 0

    init(in world: World) {
        self.world = world
        super.init()
        self.manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    /// Sends values of 100 octets, in order.
    func send(_ count: Int) {
        self.pending += (0..<count).map { Data(repeating: UInt8($0), count: 100) }
        self.update()
    }

    private func update() {
        while let value = self.pending.first {
            guard self.manager.updateValue(value, for: self.characteristic, onSubscribedCentrals: nil) else {
                return self.world.note("app: the queue is full, \(self.pending.count) values wait")
            }
            self.pending.removeFirst()
        }
    }

    func peripheralManagerDidUpdateState(_ manager: CBPeripheralManager) {
        guard manager.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "1809"), primary: true)
        service.characteristics = [self.characteristic]
        manager.add(service)
        manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Sender", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
    }

    func peripheralManager(
        _ manager: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        self.subscriberCount += 1
        self.world.note("app: didSubscribe, \(self.subscriberCount) in all")
    }

    func peripheralManagerIsReady(toUpdateSubscribers manager: CBPeripheralManager) {
        self.world.note("app: isReadyToUpdateSubscribers")
        self.update()
    }
}

/// The timers of both SDKs on the clock of a world.
final class TracedScheduler: ITCB_SDK_Scheduler, WorkScheduler {
    final class Timer: ITCB_SDK_ScheduledWork, ScheduledWork {
        fileprivate var isCancelled = false

        func cancel() { self.isCancelled = true }
    }

    private weak var world: World?

    init(_ world: World) { self.world = world }

    private func timer(after seconds: TimeInterval, _ work: @escaping () -> Void) -> Timer {
        let timer = Timer()
        self.world?.after(.milliseconds(Int(seconds * 1000))) { if !timer.isCancelled { work() } }
        return timer
    }

    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ITCB_SDK_ScheduledWork {
        self.timer(after: seconds, work)
    }

    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ScheduledWork {
        self.timer(after: seconds, work)
    }
}

/// Answers that are the same in every run.
struct FixedAnswers: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0x5555_5555_5555_5555 }
}

/// The users of a ball and of an asker: the first ball that is found is asked.
final class TracedBalls: ITCB_Observer_Central_Protocol, ITCB_Observer_Peripheral_Protocol {
    private unowned let world: World
    var uuid = UUID()
    private(set) var isAnswered = false

    init(in world: World) { self.world = world }

    func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {
        self.world.note("app: error \(error.localizedDescription)")
    }

    func deviceDiscovered(_ device: any ITCB_Device_Peripheral_Protocol) {
        self.world.note("asker: discovered \(device.name)")
        device.sendQuestion("Will it rain?")
    }

    func questionAskedOfDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
        self.world.note("asker: \(device.name) has the question")
    }

    func questionAnsweredByDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
        self.world.note("asker: \(device.name) answers \(device.answer ?? "nothing")")
        self.isAnswered = true
    }

    func questionAskedByDevice(_ device: any ITCB_Device_Central_Protocol, question: String) {
        self.world.note("ball: is asked \(question)")
    }

    func answerSentToDevice(_ device: any ITCB_Device_Central_Protocol, answer: String, toQuestion: String) {
        self.world.note("ball: sent \(answer)")
    }
}

/// Both halves of the messenger.
final class TracedMessengers: PeripheralRole.BlueEar, CentralRole.BlueEar {
    private unowned let world: World
    private let role: String
    private(set) var calls: [String] = []

    private init(_ role: String, in world: World) {
        self.role = role
        self.world = world
    }

    /// Lets a peripheral and a central exchange one message in each direction.
    static func exchange(in world: World) throws -> Trace {
        let (speaker, listener) = (TracedMessengers("speaker", in: world), TracedMessengers("listener", in: world))
        let peripheral = world.addDevice("speaker").run {
            PeripheralRole.BluetoothManager(delegate: speaker, restoreIdentifier: nil)
        }
        peripheral.message = ["Hello": "Darkness"]
        let central = CentralRole.BluetoothManager()
        central.message = ["Yo": "Lo"]
        central.scheduler = TracedScheduler(world)
        central.blueEar = listener
        world.addDevice("listener").run { central.scan() }
        try world.run(
            until: listener.calls.last == "didDisconnectPeripheral" && speaker.calls.contains("didReceiveData")
        )
        return withExtendedLifetime((peripheral, central)) { world.trace }
    }

    private func called(_ name: String) {
        self.calls.append(name)
        self.world.note("\(self.role): \(name)")
    }

    func didStartConfiguration() { self.called("didStartConfiguration") }
    func didStartAdvertising() { self.called("didStartAdvertising") }
    func didStartScanningPeripherals() { self.called("didStartScanningPeripherals") }
    func didConnectPeripheral(name: String?) { self.called("didConnectPeripheral") }
    func didDisconnectPeripheral(name: String?) { self.called("didDisconnectPeripheral") }
    func didSendData() { self.called("didSendData") }
    func didReceiveData() { self.called("didReceiveData") }
    func didFailConnection() { self.called("didFailConnection") }
}
