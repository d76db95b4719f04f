// `scan --watch`: the devices on the whole screen, and a session with the one that is opened. It passes keys to
// `WatchScreen`, and carries out the requests one after the other, by the procedures of `DeviceConnection` and the
// commands of `corebluetooth connect`.

import CommandLineTool
import CoreBluetooth
import Foundation
import TerminalScreen

/// Scans, and uses the device that is opened.
@MainActor
final class WatchSession {
    /// Called when something else is to be shown.
    var onChange: () -> Void = {}

    private(set) var watch: WatchScreen
    private let filter: ScanSession.Filter
    private let pairing: ProgramPairing?
    private let timeout: TimeInterval?
    private let isVerbose: Bool
    private let history: HistoryFile?

    /// The seconds between two measurements of the connection's strength.
    private static let strengthInterval: TimeInterval = 1
    /// The limit for a connection, in seconds.
    private static let connectionLimit: TimeInterval = 10
    /// The number of requests that wait for the one under way.
    private static let requestLimit = 16

    private(set) lazy var central = Central(pairing: pairing, output: output)
    private lazy var output = OutputFormat(isJSON: false, isVerbose: isVerbose) { [weak self] line in
        MainActor.assumeIsolated { self?.say(line) }
    }
    private var connection: DeviceConnection?
    private var requests: [DevicePage.Request] = []
    private var isBusy = false
    /// The subscribed characteristics of the opened device, which a new connection subscribes to again.
    private var subscribed: Set<String> = []
    private var nextStrength = Date.distantPast
    private var onAnswer: ((String?) -> Void)?
    private var lastLine: String?
    private var tick: Deadline?
    private weak var screen: Screen?

    /// - Parameters:
    ///   - filter: The devices to show.
    ///   - order: The order of the devices at first.
    ///   - timeout: The seconds until the end of the program; `nil` for none.
    ///   - history: The lines of earlier sessions.
    init(
        filter: ScanSession.Filter,
        order: ScanOrder?,
        pairing: ProgramPairing? = nil,
        timeout: TimeInterval? = nil,
        isVerbose: Bool = false,
        history: HistoryFile? = nil
    ) {
        self.filter = filter
        self.pairing = pairing
        self.timeout = timeout
        self.isVerbose = isVerbose
        self.history = history
        watch = WatchScreen(order: order ?? .rssi, history: history?.history ?? LineHistory())
    }

    /// Runs on a screen; never returns.
    func run(on screen: Screen) -> Never {
        start()
        open(screen)
        Interrupts.runUntilExit()
    }

    /// Starts the scan.
    func start() {
        central.onReady = { [self] in central.scan(services: filter.services, duplicates: true) }
        let adapter = BluetoothAdapter.default
        central.onDiscovery = { [self] _, discovery in
            guard filter.passes(discovery) else { return }
            var discovery = discovery
            discovery.address = adapter.address(of: discovery.identifier)
            watch.table.add(discovery, at: Date())
        }
        central.onStrength = { [self] strength in
            if let identifier = watch.page?.identifier { watch.table.measured(identifier, rssi: strength, at: Date()) }
        }
        pairing?.conversation.lines = self
        central.open()
        if let timeout { _ = Deadline(after: timeout) { Ending.succeed() } }
        passTime()
    }

    /// Gives it a terminal.
    func open(_ screen: Screen) {
        self.screen = screen
        onChange = { [weak screen] in screen?.setNeedsDraw() }
        screen.onDraw = { [self] canvas in draw(on: &canvas) }
        screen.onKey = { [self] key in
            switch key {
            case .control("c"): exit(130)
            case .control("z"): screen.suspend()
            case .control("l"): screen.redraw()
            default: receive(key)
            }
        }
        screen.open()
    }

    /// Draws the screen, with what the opened device has now.
    func draw(on canvas: inout Canvas) {
        if let connection, watch.page?.link == .connected { watch.page?.update(connection.rows, at: Date()) }
        watch.draw(on: &canvas, now: Date())
    }

    /// Draws again after a moment rather than with each report, which would flicker on a busy air.
    private func passTime() {
        if watch.page?.link == .connected, Date() >= nextStrength {
            nextStrength = Date() + Self.strengthInterval
            central.peripheral?.readRSSI()
        }
        if let line = screen?.lastLine, line != lastLine {
            lastLine = line
            watch.page?.say(line, isFailure: true)
        }
        onChange()
        tick = Deadline(after: 0.25) { [weak self] in self?.passTime() }
    }

    private func say(_ text: String) {
        watch.page?.say(text)
        onChange()
    }

    // MARK: Keys

    /// Handles a key.
    func receive(_ key: Key) {
        switch watch.receive(key, now: Date()) {
        case .quit: Ending.succeed()
        case .open: perform(.connect)
        case .request(.close): close()
        case .request(let request): perform(request)
        case .complete(let text):
            if let connection { watch.complete(SessionCommands.completion(of: text, on: connection)) }
        case .answer(let line):
            let take = onAnswer
            onAnswer = nil
            take?(line)
        case nil: break
        }
        onChange()
    }

    /// Leaves the device: what is under way ends with the connection.
    private func close() {
        subscribed = []
        requests = []
        connection?.onLoss = nil
        if isBusy { central.cancelConnection() }
        perform(.close)
    }

    // MARK: Requests

    private func perform(_ request: DevicePage.Request) {
        guard requests.count < Self.requestLimit else { return }
        requests.append(request)
        guard !isBusy else { return }
        isBusy = true
        Task { @MainActor in
            while !requests.isEmpty { await carryOut(requests.removeFirst()) }
            isBusy = false
        }
    }

    private func carryOut(_ request: DevicePage.Request) async {
        let page = watch.page?.identifier
        do {
            switch request {
            case .connect: try await connect()
            case .close: await disconnect()
            case .line(let line): try await perform(line)
            case .read(let target): _ = try await central.read(try await find(target))
            case .readAll: try await readAll()
            case .subscribe(let target): try await subscribe(target)
            case .unsubscribe(let target):
                subscribed.remove(target)
                try await connection?.unsubscribe(from: try await find(target))
            }
        } catch is QuitAction.End {
            watch.page = nil
            await disconnect()
        } catch {
            // The person has left the device meanwhile.
            guard watch.page?.identifier == page else { return }
            failed(error)
        }
        if watch.page?.link == .connected, central.peripheral?.state != .connected {
            watch.page?.link = .ended("it was asked to")
        }
        onChange()
    }

    private func failed(_ error: any Error) {
        let name = central.peripheral.map(Central.name) ?? ""
        let failure = central.failure(for: error, device: name)
        switch watch.page?.link {
        case .connecting, .discovering: watch.page?.link = .ended(failure.line)
        case .connected: watch.page?.say(failure.line, isFailure: true)
        // The reason is shown.
        case .ended, nil: break
        }
    }

    private func connect() async throws {
        guard let identifier = watch.page?.identifier else { return }
        guard let peripheral = central.manager?.retrievePeripherals(withIdentifiers: [identifier]).first else {
            throw Failure("the device is not known any more; go back and choose it again", .notFound)
        }
        watch.page?.link = .connecting
        do { try await central.connect(peripheral, timeout: Self.connectionLimit) } catch {
            // Core Bluetooth would connect whenever the device comes.
            await central.disconnect()
            throw error
        }
        let connection = DeviceConnection(central, peripheral, output: output, isSession: true)
        connection.onLoss = { [weak self] reason in
            self?.watch.page?.link = .ended(reason)
            self?.onChange()
        }
        self.connection = connection
        watch.page?.link = .discovering
        try await connection.discover()
        watch.page?.update(connection.rows, at: .distantPast)
        watch.page?.link = .connected
        for target in subscribed { try await subscribe(target) }
    }

    private func disconnect() async {
        connection = nil
        await central.disconnect()
    }

    private func perform(_ line: String) async throws {
        history?.add(line)
        guard let connection else { return }
        switch try SessionCommands.parse(line) {
        case .command(is ReconnectAction)?: if connection.peripheral.state != .connected { try await connect() }
        case .command(let action)?:
            try await action.run(on: connection)
            // A session's prompt comes back; here nothing else shows the end of a write.
            if let write = action as? WriteAction { say("written: \(write.value)") }
        case .help(let text)?: say(text)
        case nil: break
        }
    }

    private func find(_ target: String) async throws -> CBCharacteristic {
        let query = try AttributeQuery(target)
        guard let found = try await connection?.characteristic(query, of: nil) else {
            throw Failure.missing(characteristic: target, service: nil, isSession: true)
        }
        return found
    }

    private func readAll() async throws {
        for characteristic in connection?.discovered ?? [] where characteristic.properties.contains(.read) {
            _ = try await central.read(characteristic)
            onChange()
        }
    }

    private func subscribe(_ target: String) async throws {
        try await connection?.subscribe(to: try await find(target)) { [weak self] _, _ in self?.onChange() }
        subscribed.insert(target)
    }
}

extension WatchSession: QuestionLine {
    var isInteractive: Bool { true }
    var isAtEnd: Bool { false }

    func ask(_ question: String, _ take: @escaping (String?) -> Void) {
        onAnswer = take
        watch.ask(question)
        onChange()
    }

    func takeBack(_ reason: String) {
        onAnswer = nil
        watch.withdrawQuestion()
        say(reason)
    }

    func show(_ line: String) { say(line) }
}

extension DeviceConnection {
    /// The services and characteristics of the device, with the values that came last.
    var rows: [DevicePage.Row] {
        (peripheral.services ?? []).filter(central.isPresent).flatMap { service in
            [.service(UUIDText.label(ofService: service.uuid))]
                + (service.characteristics ?? []).map { .characteristic(DevicePage.Characteristic($0)) }
        }
    }
}

extension DevicePage.Characteristic {
    /// A characteristic as it is now.
    init(_ characteristic: CBCharacteristic) {
        self.init(
            target: characteristic.handle.map(HexadecimalText.number) ?? characteristic.uuid.uuidString,
            label: UUIDText.label(characteristic.uuid),
            properties: characteristic.properties,
            value: characteristic.value.map { ValueText.text($0, of: characteristic) },
            isNotifying: characteristic.isNotifying
        )
    }
}
