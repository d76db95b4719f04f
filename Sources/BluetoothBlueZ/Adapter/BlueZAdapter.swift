// An adapter of BlueZ and the private air on which its devices are mirrored. Commands of our host become calls to
// BlueZ, and BlueZ's reports become mirrors.

import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Logging
import NIOCore

/// One adapter of BlueZ, until it or the bus is gone.
final class BlueZAdapter {
    private enum State {
        case opening((Result<any HCIChannel, BlueZError>) -> Void)
        case open(Running)
        case closed
    }

    /// The parts of an open adapter.
    struct Running {
        let calls: BlueZCalls
        let path: String
        let controller: VirtualController
        /// The channel of our host, which retains this object.
        weak var channel: BlueZChannel?
        let devices: DeviceTable
        let publisher: Publisher
        let agent: Agent
    }

    private let bus: BusConnection
    private let index: Int?
    private let air: Air
    private var state = State.closed
    private var commands = HostCommands()
    /// Our host, whose services are published.
    private weak var host: LEHost?
    private weak var source: BlueZSource?

    static let log = Logger(label: "bluetooth.bluez")
    /// BlueZ 5.66 does not say whether rfkill blocks the radio, and cannot switch it on then.
    private static let powerOn = "rfkill unblock bluetooth, then bluetoothctl power on"

    init(_ bus: BusConnection, index: Int?, host: LEHost?, source: BlueZSource?) {
        self.bus = bus
        self.host = host
        self.source = source
        self.index = index
        self.air = Air(eventLoop: bus.eventLoop)
    }

    // MARK: Opening

    /// Reads what BlueZ has; `completion` is called once.
    func open(_ completion: @escaping (Result<any HCIChannel, BlueZError>) -> Void) {
        self.state = .opening(completion)
        self.bus.delegate = self
        for rule in [
            "type='signal',sender='\(BlueZ.service)'",
            "type='signal',sender='\(BlueZ.bus)',member='NameOwnerChanged',arg0='\(BlueZ.service)'",
        ] {
            self.bus.call(BlueZ.bus, BlueZ.busPath, BlueZ.bus, "AddMatch", [.string(rule)])
        }
        // The bus starts bluetoothd if it is configured to.
        self.bus.call(BlueZ.service, "/", BlueZ.objectManager, "GetManagedObjects") { [weak self] result in
            guard let self, case .opening(let completion) = self.state else { return }
            let opened = self.opened(result)
            if case .failure = opened { self.close() }
            completion(opened)
        }
    }

    private func opened(_ result: Result<BusMessage, BusFailure>) -> Result<any HCIChannel, BlueZError> {
        do throws(BlueZError) {
            let answer = try result.mapError { BlueZError(asking: $0) }.get()
            var tree = ObjectTree()
            tree.replace(by: answer.arguments)
            let (path, address) = try self.chooseAdapter(tree)
            let controller = self.air.makeController(configuration: .mirror(of: address))
            controller.distance = .mirrors
            let calls = BlueZCalls(bus: self.bus, owner: answer.sender)
            let channel = BlueZChannel(controller, observer: self)
            let devices = DeviceTable(path, tree, calls, self.air, controller)
            let publisher = Publisher(
                path,
                calls,
                self.air,
                controller,
                device: { [weak devices] in devices?.device($0) },
                path: { [weak devices] in devices?.find($0)?.path }
            )
            let agent = Agent(calls)
            agent.owner = self
            agent.register(self.source?.capability ?? .noInputNoOutput)
            devices.onRefusal = { [weak agent] in agent?.ended($0, .failed(.unspecifiedReason)) }
            publisher.onPublish = { [weak source = self.source] handle, isAccepted in
                if let source { source.delegate?.source(source, didPublish: handle, isAccepted: isAccepted) }
            }
            if let host = self.host { publisher.publish(host) }
            self.source?.connectedDevices = devices.connected(authenticated: [])
            self.state = .open(
                Running(
                    calls: calls,
                    path: path,
                    controller: controller,
                    channel: channel,
                    devices: devices,
                    publisher: publisher,
                    agent: agent
                )
            )
            return .success(channel)
        } catch {
            return .failure(error)
        }
    }

    private func chooseAdapter(_ tree: ObjectTree) throws(BlueZError) -> (path: String, address: DeviceAddress) {
        let paths = tree.paths(with: BlueZ.adapter).filter { BlueZ.adapterIndex($0) != nil }
        let isOn = { (path: String) in tree.properties(path, BlueZ.adapter)?["Powered"]?.boolean == true }
        let chosen = paths.filter { path in self.index.map { BlueZ.adapterIndex(path) == $0 } ?? true }
        guard let path = chosen.first(where: isOn) ?? chosen.first else {
            let missing = self.index.map { "BlueZ has no adapter hci\($0)" } ?? "BlueZ has no adapter"
            throw BlueZError(.absent, "\(missing): plug it in, or look for its name with bluetoothctl list")
        }
        guard isOn(path) else {
            let name = path.dropFirst(BlueZ.root.utf8.count + 1)
            throw BlueZError(.poweredOff, "\(name) is switched off: run \(Self.powerOn)")
        }
        guard let text = tree.properties(path, BlueZ.adapter)?["Address"]?.string,
            let address = DeviceAddress(text, kind: .public), address.value != 0
        else { throw BlueZError(.absent, "BlueZ does not know the address of the adapter") }
        return (path, address)
    }

    private func close() {
        let state = self.state
        self.state = .closed
        self.bus.close()
        guard case .open(let running) = state else { return }
        running.devices.close()
        running.publisher.close()
        running.agent.close()
        self.source?.connectedDevices = []
    }

    /// Pairs with a device; false if BlueZ does not know it.
    func pair(with device: DeviceAddress, needsCode: Bool) -> Bool {
        guard case .open(let running) = self.state, let path = running.devices.find(device)?.path else { return false }
        running.agent.pair(path, device, needsCode: needsCode)
        return true
    }

    /// Closes the adapter and reports why.
    private func fail(_ error: BlueZError) {
        let state = self.state
        self.close()
        switch state {
        case .opening(let completion): completion(.failure(error))
        case .open(let running): running.channel?.fail(error.message)
        case .closed: break
        }
    }
}

// MARK: Our host

extension BlueZAdapter: BlueZChannelObserver {
    func channelHolds(_ packet: HCIPacket) -> Bool {
        guard case .open(let running) = self.state else { return false }
        return running.publisher.sent(packet) { [weak channel = running.channel] error in
            if let error { channel?.refuse(packet, status: error) } else { channel?.forward(packet) }
        }
    }

    func channelDidSend(_ packet: HCIPacket) {
        guard packet.kind == .command, case .open(let running) = self.state else { return }
        self.commands.sent(packet)
        running.devices.update(wanted: self.commands.wanted, isScanning: self.commands.isScanning)
    }

    func channelDidReceive(_ packet: HCIPacket) {
        guard case .open(let running) = self.state else { return }
        let before = self.commands.wanted
        self.commands.received(packet)
        guard self.commands.wanted != before else { return }
        running.devices.update(wanted: self.commands.wanted, isScanning: self.commands.isScanning)
    }

    func channelDidClose() { self.close() }
}

// MARK: Pairing

extension BlueZAdapter: AgentOwner {
    func agent(_ agent: Agent, deviceAt path: String) -> DeviceProperties? {
        // As the default agent, ours is asked for the devices of all programs.
        guard case .open(let running) = self.state, let device = running.devices.device(path),
            running.devices.isUsed(device.address) || running.publisher.isPublishing
        else { return nil }
        return device
    }

    func agent(
        _ agent: Agent,
        asks question: PairingQuestion,
        about device: DeviceAddress,
        answer: @escaping (PairingAnswer) -> Void
    ) {
        guard let source = self.source else { return }
        source.delegate?.source(source, asks: question, about: device, answer: answer)
    }

    func agent(_ agent: Agent, endedPairingWith device: DeviceAddress, _ error: PairingError?) {
        guard let source = self.source else { return }
        source.delegate?.source(source, endedPairingWith: device, error)
    }
}

// MARK: BlueZ

extension BlueZAdapter: BusConnectionDelegate {
    func connection(_ connection: BusConnection, didReceiveSignal signal: BusMessage) {
        if signal.sender == BlueZ.bus { return self.ownerChanged(signal) }
        // Earlier signals are in the tree already, and those of other programs are not BlueZ's.
        guard case .open(let running) = self.state, signal.sender == running.calls.owner else { return }
        switch (signal.interface, signal.member) {
        case (BlueZ.objectManager, "InterfacesAdded"):
            if let path = running.devices.tree.added(signal.arguments) { self.changed(path, running) }
        case (BlueZ.objectManager, "InterfacesRemoved"):
            if let path = running.devices.tree.removed(signal.arguments) { self.changed(path, running) }
        case (BlueZ.propertiesInterface, "PropertiesChanged"):
            guard let (interface, properties) = running.devices.tree.changed(signal.path, signal.arguments) else {
                return
            }
            if interface == BlueZ.characteristic, let value = properties["Value"]?.bytes {
                running.devices.received(value, of: signal.path)
                if properties.count == 1 { return }
            }
            self.changed(signal.path, running, Set(properties.keys))
        case (BlueZ.device, "Disconnected"):
            running.devices.disconnected(signal.path, reason: signal.arguments.first?.string)
        default: break
        }
    }

    private func ownerChanged(_ signal: BusMessage) {
        guard signal.member == "NameOwnerChanged", case .open(let running) = self.state,
            signal.arguments.first?.string == BlueZ.service,
            signal.arguments.last?.string != running.calls.owner
        else { return }
        self.fail(BlueZError(.absent, "bluetoothd has ended: start it with sudo systemctl start bluetooth"))
    }

    private func changed(_ path: String, _ running: Running, _ names: Set<String>? = nil) {
        guard path == running.path else {
            running.devices.changed(path, names)
            guard names.map({ !$0.isDisjoint(with: DeviceProperties.states) }) ?? true else { return }
            let device = running.devices.device(path)
            if let device, device.isConnected {
                let isNew = names?.contains("Connected") ?? true
                if isNew, !running.devices.isUsed(device.address) { running.publisher.connected() }
            } else {
                running.publisher.disconnected(path)
                running.agent.ended(path, .linkEnded)
            }
            if names?.contains("Paired") == true {
                if device?.isPaired == true { running.agent.ended(path, nil) } else { running.agent.forget(path) }
            }
            self.source?.connectedDevices = running.devices.connected(authenticated: running.agent.authenticated)
            return
        }
        guard let adapter = running.devices.tree.properties(path, BlueZ.adapter) else {
            return self.fail(BlueZError(.absent, "BlueZ has lost the adapter"))
        }
        if adapter["Powered"]?.boolean != true {
            self.fail(BlueZError(.poweredOff, "the adapter was switched off: run \(Self.powerOn)"))
        }
    }

    func connection(_ connection: BusConnection, didReceive call: BusCall, _ message: BusMessage) {
        // Calls of other programs are rejected.
        if case .open(let running) = self.state, message.sender == running.calls.owner,
            running.agent.received(call, message) || running.publisher.received(call, message)
        {
            return
        }
        call.fail("org.freedesktop.DBus.Error.UnknownMethod", "there is no such method")
    }

    func connectionDidClose(_ connection: BusConnection) { self.fail(BlueZError(asking: .closed)) }
}
