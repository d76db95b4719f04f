// The sample clients at work, each in both roles.

import ClientSamples
import CoreBluetooth
import CoreBluetoothTesting
import Testing

@Suite("Sample clients")
struct SampleClientTests {
    /// Notes what the delegate wrapper says, and acts on it.
    private final class Screen: GadgetCentralDelegate {
        var lines: [String] = []
        var identifier: UUID?
        var onPrepared: ((GadgetCentral, UUID) -> Void)?

        func gadgetCentral(_ central: GadgetCentral, didBecomeReady isReady: Bool) {
            self.lines.append("ready \(isReady)")
        }

        func gadgetCentral(_ central: GadgetCentral, didFind identifier: UUID, named name: String?, rssi: Int) {
            guard self.identifier == nil, name != nil else { return }
            self.identifier = identifier
            self.lines.append("found \(name ?? "-")")
            #expect((-60 ... -20).contains(rssi))
            central.connect(to: identifier)
        }

        func gadgetCentral(_ central: GadgetCentral, didPrepare identifier: UUID) {
            self.lines.append("prepared")
            self.onPrepared?(central, identifier)
        }

        func gadgetCentral(_ central: GadgetCentral, didReceive event: String, from identifier: UUID) {
            self.lines.append("event \(event)")
        }

        func gadgetCentral(_ central: GadgetCentral, didLose identifier: UUID, error: (any Error)?) {
            self.lines.append("lost \(error == nil ? "as requested" : "by itself")")
        }
    }

    @Test("runs a delegate wrapper against its own gadget", arguments: [AirSettings.instant, .realistic])
    func delegates(_ settings: AirSettings) throws {
        let world = World(settings: settings)
        let gadget = world.addDevice("gadget").run { GadgetPeripheral(name: "Lamp") }
        gadget.onCommand = { $0 == "explode" ? nil : "did \($0)" }
        let screen = Screen()
        screen.onPrepared = { central, identifier in
            central.readStatus(of: identifier) { result in
                screen.lines.append("status \(String(decoding: (try? result.get()) ?? Data(), as: UTF8.self))")
                central.send("blink", to: identifier) { result in
                    screen.lines.append("sent \((try? result.get()) != nil)")
                    central.send("explode", to: identifier) { result in
                        if case .failure(CBATTError.unlikelyError) = result { screen.lines.append("refused") }
                        #expect(gadget.subscribers.count == 1)
                        central.disconnect(from: identifier)
                    }
                }
            }
        }
        let central = world.addDevice("phone").run { GadgetCentral() }
        central.delegate = screen
        try world.run(until: screen.lines.last == "lost as requested")
        // The event may overtake the confirmation that its command was written.
        #expect(
            screen.lines.filter { $0 != "event did blink" } == [
                "ready true", "found Lamp", "prepared", "status ready", "sent true", "refused", "lost as requested",
            ]
        )
        #expect(screen.lines.contains("event did blink"))
        try world.run(until: gadget.subscribers.isEmpty)
    }

    /// A service like the gadget's for peripherals that build their own.
    private static func gadgetService() -> CBMutableService {
        let service = CBMutableService(type: Gadget.service, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(type: Gadget.status, properties: .read, value: nil, permissions: .readable),
            CBMutableCharacteristic(type: Gadget.command, properties: .write, value: nil, permissions: .writeable),
            CBMutableCharacteristic(type: Gadget.event, properties: .notify, value: nil, permissions: .readable),
        ]
        return service
    }

    @Test("runs a conversation as one chain of publishers, in both roles")
    func publishers() throws {
        let world = World(settings: .instant)
        var bag: [Subscription] = []
        var log: [String] = []

        let gadget = world.addDevice("gadget").run { () -> PublishedPeripheral in
            let gadget = PublishedPeripheral()
            gadget.open(Self.gadgetService(), name: "Lamp").sink { _ in log.append("open") }.store(in: &bag)
            return gadget
        }
        gadget.reads.sink { signal in
            guard case .value(let request) = signal else { return }
            request.value = Data("published".utf8)
            gadget.manager.respond(to: request, withResult: .success)
        }.store(in: &bag)
        gadget.writes.sink { signal in
            guard case .value(let requests) = signal else { return }
            gadget.manager.respond(to: requests[0], withResult: .success)
            let event = requests[0].characteristic.service?.characteristics?.last as? CBMutableCharacteristic
            gadget.manager.updateValue(requests[0].value ?? Data(), for: event!, onSubscribedCentrals: nil)
        }.store(in: &bag)

        let central = world.addDevice("phone").run { PublishedCentral() }
        let peripheral = central.poweredOn
            .flatMap { _ in central.scan(for: [Gadget.service]).first() }
            .flatMap { central.connect($0) }
        peripheral
            .flatMap { peripheral in
                central.characteristic(Gadget.status, of: Gadget.service, on: peripheral)
                    .flatMap { central.read($0) }
                    .flatMap { status -> ClientSamples.Stream<Data> in
                        log.append(String(decoding: status, as: UTF8.self))
                        return central.characteristic(Gadget.event, of: Gadget.service, on: peripheral)
                            .flatMap { central.values(of: $0) }
                    }
                    .flatMap { value -> ClientSamples.Stream<CBPeripheral> in
                        if !value.isEmpty {
                            log.append(String(decoding: value, as: UTF8.self))
                            return central.disconnect(peripheral)
                        }
                        return central.characteristic(Gadget.command, of: Gadget.service, on: peripheral)
                            .flatMap { central.write(Data("hello".utf8), to: $0) }
                            .map { _ in peripheral }
                    }
            }
            .sink { signal in
                switch signal {
                case .value(let peripheral): if peripheral.state == .disconnected { log.append("over") }
                case .failure(let error): log.append("\(error)")
                }
            }
            .store(in: &bag)
        try world.run(until: log.last == "over")
        #expect(log == ["open", "published", "hello", "over"])

        // What is not there fails in the chain.
        log = []
        peripheral.flatMap { central.characteristic(CBUUID(string: "2A19"), of: Gadget.service, on: $0) }
            .sink { signal in
                if case .failure(PublishedCentral.Failure.notFound(let uuid)) = signal { log.append(uuid) }
            }
            .store(in: &bag)
        try world.run(until: !log.isEmpty)
        #expect(log == ["2A19"])
    }

    /// A delegate that was there before the proxy came.
    private final class FirstDelegate: NSObject, CBCentralManagerDelegate {
        var calls: [String] = []
        func centralManagerDidUpdateState(_ central: CBCentralManager) { self.calls.append("state") }
        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            self.calls.append("connect")
        }
        func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            error: (any Error)?
        ) { self.calls.append("disconnect") }
    }

    @Test("runs delegate proxies beside the present delegate, in both roles")
    func proxies() throws {
        let world = World(settings: .instant)
        let factory = ProxyFactory()
        var bag: [Subscription] = []
        var log: [String] = []

        let gadget = world.addDevice("gadget").run { CBPeripheralManager() }
        let service = Self.gadgetService()
        gadget.rx.didUpdateState(factory).filter { $0 == .poweredOn }
            .flatMap { _ in gadget.rx.add(service, factory) }
            .sink { _ in gadget.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Gadget.service]]) }
            .store(in: &bag)
        gadget.rx.didReceiveWrite(factory).sink { signal in
            guard case .value(let requests) = signal else { return }
            gadget.respond(to: requests[0], withResult: .success)
            let event = service.characteristics?.last as? CBMutableCharacteristic
            gadget.updateValue(requests[0].value ?? Data(), for: event!, onSubscribedCentrals: nil)
        }.store(in: &bag)
        gadget.rx.didReceiveRead(factory).sink { signal in
            guard case .value(let request) = signal else { return }
            gadget.respond(to: request, withResult: .readNotPermitted)
        }.store(in: &bag)
        gadget.rx.didSubscribe(factory).sink { _ in log.append("subscriber") }.store(in: &bag)

        let firstDelegate = FirstDelegate()
        let central = world.addDevice("phone").run { CBCentralManager(delegate: firstDelegate, queue: nil) }
        var peripheral: CBPeripheral?
        var event: CBCharacteristic?
        central.rx.didUpdateState(factory).filter { $0 == .poweredOn }
            .sink { _ in central.scanForPeripherals(withServices: [Gadget.service]) }
            .store(in: &bag)
        central.rx.didDiscover(factory).map { $0.0 }.first()
            .flatMap { found -> ClientSamples.Stream<CBPeripheral> in
                peripheral = found
                central.stopScan()
                return central.rx.connect(found, factory)
            }
            .flatMap { $0.rx.discoverServices([Gadget.service], factory) }
            .flatMap { peripheral!.rx.discoverCharacteristics(nil, for: $0[0], factory) }
            .flatMap { characteristics -> ClientSamples.Stream<Data> in
                event = characteristics.last
                return peripheral!.rx.read(characteristics[0], factory)
            }
            .sink { signal in
                guard case .failure(let error) = signal else { return }
                log.append(describe(error))
                peripheral!.rx.didSetNotify(factory)
                    .flatMap { _ in
                        peripheral!.rx.write(
                            Data("hello".utf8),
                            to: peripheral!.services![0].characteristics![1],
                            factory
                        )
                    }
                    .sink { _ in log.append("written") }
                    .store(in: &bag)
                peripheral!.rx.notifications(of: event!, factory).first()
                    .flatMap { value -> ClientSamples.Stream<Int> in
                        log.append(String(decoding: value, as: UTF8.self))
                        return peripheral!.rx.readRSSI(factory)
                    }
                    .sink { _ in central.cancelPeripheralConnection(peripheral!) }
                    .store(in: &bag)
            }
            .store(in: &bag)
        central.rx.didDisconnect(factory).sink { _ in log.append("over") }.store(in: &bag)
        try world.run(until: log.last == "over")
        #expect(Set(log) == ["ATT 2", "subscriber", "written", "hello", "over"])
        #expect(firstDelegate.calls == ["state", "connect", "disconnect"])
    }
}
