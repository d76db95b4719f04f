// Commands are given to the role that they are for. Everything happens on one queue, which is the managers' queue too.

import CoreBluetooth
import Foundation

/// Both roles and the way to them.
final class InteropPeer {
    let queue = DispatchQueue(label: "peer")
    private let channels = Channels()
    private lazy var central = CentralRole(queue: self.queue, channels: self.channels)
    private lazy var peripheral = PeripheralRole(queue: self.queue, channels: self.channels)
    private let agent: Agent?
    private let unblocked = DispatchSemaphore(value: 0)

    init(agent: Agent?) { self.agent = agent }

    /// Carries out a line's command on the queue.
    func receive(_ line: String) {
        guard let message = Message(line) else { return say("fault", ["reason": "no JSON object: \(line)"]) }
        // The queue that this is for takes no lines.
        if message.text("do") == "unblock" { self.unblocked.signal() } else { self.queue.async { self.take(message) } }
    }

    /// Carries out a line's command.
    private func take(_ message: Message) {
        switch message.text("do") {
        case "block":
            // An app that does nothing: delegates wait, too.
            say("blocked")
            self.unblocked.wait()
        case "central": self.central.start()
        case "scan": self.central.scan(message)
        case "stopScan": self.central.stopScan()
        case "connect": self.central.connect(message)
        case "disconnect": self.central.disconnect(message)
        case "discover": self.central.discover(message)
        case "read": self.central.read(message)
        case "readMany": self.central.readMany(message)
        case "write": self.central.write(message)
        case "writeMany": self.central.writeMany(message)
        case "pour": self.central.pour(message)
        case "subscribe": self.central.subscribe(message)
        case "count": self.central.count(message)
        case "rssi": self.central.readRSSI(message)
        case "lengths": self.central.sayLengths(message)
        case "peripheral": self.peripheral.start()
        case "publish": self.peripheral.publish(message)
        case "withdraw": self.peripheral.withdraw(message)
        case "advertise": self.peripheral.advertise(message)
        case "stopAdvertising": self.peripheral.stopAdvertising()
        case "setValue": self.peripheral.setValue(message)
        case "notifyMany": self.peripheral.notifyMany(message)
        case "countWrites": self.peripheral.countWrites(message)
        case "latency": self.peripheral.setLatency(message)
        case "openChannel": self.central.openChannel(message)
        case "publishChannel": self.peripheral.publishChannel()
        case "channelSend", "channelExpect", "channelClose", "channelPause", "channelResume":
            self.channels.take(message)
        case "enter", "confirm": self.agent?.answer(message)
        case "handOver": self.agent?.handOver(message)
        case "quit": exit(0)
        case let other: say("fault", ["reason": "no such command: \(other)"])
        }
    }
}

extension CBManagerState {
    /// The name of the state in Swift.
    var name: String {
        switch self {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "poweredOff"
        case .poweredOn: "poweredOn"
        @unknown default: "another"
        }
    }
}
