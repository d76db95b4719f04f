// The files of the folder Code as text, for the program that shows them: a program does not know its
// sources. Made by docs/lessons/make.
// swift-format-ignore-file

/// The files of code.
enum Listings {
    /// Their texts, by their names.
    static let texts: [String: String] = [
        "Asker.swift": #"""
// Lesson 5: errors. Whatever happens to a question, the app learns it once, in a word that it can show.

import CoreBluetooth
import Foundation

// MARK: - What can go wrong

/// Why a question has no answer.
enum AskingError: Error {
    /// The ball cannot be reached.
    case offline
    /// The ball was asked something else and has not answered yet.
    case busy
    /// The ball wants a question mark.
    case questionPlease
    /// The ball has said nothing for too long.
    case noAnswer
    /// Anything else.
    case failed(Error)

    /// The word for an error of Core Bluetooth.
    init(_ error: Error) {
        switch error {
        case CBATTError.unlikelyError: self = .questionPlease
        case is CBError: self = .offline
        default: self = .failed(error)
        }
    }
}

// MARK: - Losing a ball

extension BallFinder {
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        lose(peripheral, central)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        lose(peripheral, central)
    }

    /// Reports the loss, and asks for the connection again. That request has no time limit.
    private func lose(_ peripheral: CBPeripheral, _ central: CBCentralManager) {
        onLoss(peripheral)
        central.connect(peripheral)
    }
}

// MARK: - One word for each question

/// Asks questions of all balls around.
final class Asker {
    /// How long a ball may take, in seconds.
    static let timeLimit: TimeInterval = 2
    /// Called with each ball that can be asked.
    var onReady: (Ball) -> Void = { _ in }
    /// Called with each answer.
    var onAnswer: (Ball, String) -> Void = { _, _ in }
    /// Called with each question that was not answered.
    var onError: (Ball, AskingError) -> Void = { _, _ in }

    private let finder = BallFinder()
    private let clock: (TimeInterval, @escaping () -> Void) -> Void
    private var balls: [Ball] = []
    /// The number of the question that waits, for each ball.
    private var waiting: [ObjectIdentifier: Int] = [:]
    private var count = 0

    /// - Parameter clock: Does something after so many seconds, as `DispatchQueue.main.asyncAfter` does.
    init(clock: @escaping (TimeInterval, @escaping () -> Void) -> Void) {
        self.clock = clock
        finder.onConnect = { [unowned self] in explore($0) }
        finder.onLoss = { [unowned self] peripheral in
            balls.filter { $0.peripheral == peripheral }.forEach { finish($0, .failure(.offline)) }
        }
    }

    /// Asks a ball; exactly one of ``onAnswer`` and ``onError`` is called for it.
    func ask(_ question: String, of ball: Ball) {
        let key = ObjectIdentifier(ball)
        guard ball.peripheral.state == .connected else { return onError(ball, .offline) }
        guard waiting[key] == nil else { return onError(ball, .busy) }
        count += 1
        let number = count
        waiting[key] = number
        clock(Asker.timeLimit) { [weak self, weak ball] in
            guard let self, let ball, waiting[key] == number else { return }
            finish(ball, .failure(.noAnswer))
        }
        ball.ask(question)
    }

    private func explore(_ peripheral: CBPeripheral) {
        let ball = balls.first { $0.peripheral == peripheral } ?? Ball(peripheral)
        if !balls.contains(ball) { balls.append(ball) }
        ball.confirmDelivery()
        ball.onReady = { [unowned self, unowned ball] in onReady(ball) }
        ball.onAnswer = { [unowned self, unowned ball] in finish(ball, .success($0)) }
        ball.onError = { [unowned self, unowned ball] in finish(ball, .failure(AskingError($0))) }
        ball.discover()
    }

    /// Ends a question. What comes after its end, such as a late answer, belongs to no question any more.
    private func finish(_ ball: Ball, _ result: Result<String, AskingError>) {
        guard waiting.removeValue(forKey: ObjectIdentifier(ball)) != nil else { return }
        switch result {
        case .success(let answer): onAnswer(ball, answer)
        case .failure(let error): onError(ball, error)
        }
    }
}
"""#,
        "Background.swift": #"""
// Lesson 8: background. An app that has lost its speaker asks for it again, and may sleep until it is there.

import CoreBluetooth

// MARK: - A request without a time limit

extension Listener {
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        central.connect(peripheral)
    }
}
"""#,
        "Ball.swift": #"""
// Lesson 2: the peripheral's delegate. It explores a ball, asks it a question, and hears the answer.

import CoreBluetooth
import Foundation

// MARK: - A ball, as the central sees it

/// A ball that is connected.
final class Ball: NSObject {
    let peripheral: CBPeripheral
    /// Called when the ball can be asked.
    var onReady: () -> Void = {}
    /// Called with a question that the ball has confirmed.
    var onDelivery: (String) -> Void = { _ in }
    /// Called with each answer.
    var onAnswer: (String) -> Void = { _ in }
    /// Called with what went wrong.
    var onError: (Error) -> Void = { _ in }
    /// How a question is written.
    var writeType = CBCharacteristicWriteType.withoutResponse
    /// The question that is on its way.
    var question: String?

    init(_ peripheral: CBPeripheral) {
        self.peripheral = peripheral
        super.init()
        peripheral.delegate = self
    }

    /// A characteristic that was discovered.
    func characteristic(_ uuid: CBUUID) -> CBCharacteristic? {
        let service = peripheral.services?.first { $0.uuid == EightBall.service }
        return service?.characteristics?.first { $0.uuid == uuid }
    }
}

// MARK: - Discovery

extension Ball: CBPeripheralDelegate {
    /// Asks the ball what it has.
    func discover() {
        peripheral.discoverServices([EightBall.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        if let error { return onError(error) }
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([EightBall.question, EightBall.answer], for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        if let error { return onError(error) }
        onReady()
    }
}

// MARK: - The question

extension Ball {
    /// Asks a question: first the subscription to the answer, then the question itself.
    func ask(_ text: String) {
        guard let answer = characteristic(EightBall.answer) else { return }
        question = text
        if answer.isNotifying {
            writeQuestion()
        } else {
            peripheral.setNotifyValue(true, for: answer)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        if let error { return onError(error) }
        writeQuestion()
    }

    private func writeQuestion() {
        guard let text = question, let target = characteristic(EightBall.question) else { return }
        peripheral.writeValue(Data(text.utf8), for: target, type: writeType)
    }
}

// MARK: - The answer

extension Ball {
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        if let error { return onError(error) }
        onAnswer(String(decoding: characteristic.value ?? Data(), as: UTF8.self))
    }
}

// MARK: - The app

/// Asks the first ball some questions, one after the other.
final class Questions {
    /// Called with the ball before it is explored.
    var prepare: (Ball) -> Void = { _ in }
    private let finder = BallFinder()
    private let show: (String) -> Void
    private var questions: [String]
    private var ball: Ball?

    init(_ questions: [String], show: @escaping (String) -> Void) {
        self.questions = questions
        self.show = show
        finder.onConnect = { [unowned self] in explore($0) }
    }

    private func explore(_ peripheral: CBPeripheral) {
        guard ball == nil else { return }
        let ball = Ball(peripheral)
        self.ball = ball
        prepare(ball)
        ball.onReady = { [unowned self] in askNext() }
        ball.onDelivery = { [unowned self] in show("delivered: \($0)") }
        ball.onAnswer = { [unowned self] in
            show("answer: \($0)")
            askNext()
        }
        ball.onError = { [unowned self] in show("error: \($0.localizedDescription)") }
        ball.discover()
    }

    private func askNext() {
        guard !questions.isEmpty else { return }
        let question = questions.removeFirst()
        show("question: \(question)")
        ball?.ask(question)
    }
}
"""#,
        "BallFinder.swift": #"""
// Lesson 1: the central manager. It finds Magic 8-Balls and connects to them.

import CoreBluetooth
import Foundation

// MARK: - What both sides know

/// The UUIDs of a Magic 8-Ball.
enum EightBall {
    static let service = CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E")
    static let question = CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77")
    static let answer = CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445")
    /// A ball that is weaker is too far away, in dBm.
    static let weakestSignal = -60
}

// MARK: - The manager

/// Finds balls and connects to them.
final class BallFinder: NSObject {
    /// Called with each ball that is connected.
    var onConnect: (CBPeripheral) -> Void = { _ in }
    /// Called with each ball whose connection is lost or never came to be.
    var onLoss: (CBPeripheral) -> Void = { _ in }
    /// The balls that were found. Core Bluetooth keeps no peripheral that the app does not keep.
    var balls: [CBPeripheral] = []
    private var central: CBCentralManager?

    override init() {
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }
}

// MARK: - The delegate

extension BallFinder: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [EightBall.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard RSSI.intValue >= EightBall.weakestSignal, !balls.contains(peripheral) else { return }
        balls.append(peripheral)
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        onConnect(peripheral)
    }
}
"""#,
        "ConfirmedDelivery.swift": #"""
// Lesson 4: confirmed delivery. A question counts as asked when the ball has said that it has it.

import CoreBluetooth
import Foundation

// MARK: - The central waits for the confirmation

extension Ball {
    /// Lets the ball confirm each question.
    func confirmDelivery() {
        writeType = .withResponse
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
        guard let text = question else { return }
        question = nil
        if let error {
            onError(error)
        } else {
            onDelivery(text)
        }
    }
}

// MARK: - The ball reads before it confirms

extension MagicBall {
    /// Takes only what ends with a question mark.
    func insistOnQuestions() {
        judge = { $0.hasSuffix("?") ? .success : .unlikelyError }
    }
}
"""#,
        "Lock.swift": #"""
// Lesson 10: the lock. A door that opens while its key is near, to a key that proves a secret without saying it.

import CoreBluetooth
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

// MARK: - The proof

/// What a lock and its key agree on.
enum Door {
    static let service = CBUUID(string: "5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A10")
    static let challenge = CBUUID(string: "5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A11")
    static let response = CBUUID(string: "5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A12")

    /// The response that only the owner of the secret can compute.
    static func response(to challenge: Data, secret: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: challenge, using: SymmetricKey(data: Data(secret.utf8))))
    }

    /// Whether a response is the right one, found out in the same time for a right and a wrong one.
    static func isResponse(_ response: Data, to challenge: Data, secret: String) -> Bool {
        let key = SymmetricKey(data: Data(secret.utf8))
        return HMAC<SHA256>.isValidAuthenticationCode(response, authenticating: challenge, using: key)
    }
}

// MARK: - The lock

/// A lock that is open as long as a key is connected that has proved the secret.
final class DoorLock: NSObject, CBPeripheralManagerDelegate {
    /// Called when the lock opens and closes.
    var onChange: (Bool) -> Void = { _ in }
    /// Makes a challenge, another one each time.
    var makeChallenge: () -> Data = { Data((0..<16).map { _ in UInt8.random(in: 0...255) }) }
    private let secret: String
    private let challenge = CBMutableCharacteristic(
        type: Door.challenge,
        properties: .notify,
        value: nil,
        permissions: .readable
    )
    private var manager: CBPeripheralManager?
    /// The challenges that are not answered yet.
    private var challenges: [UUID: Data] = [:]
    private var openers: Set<UUID> = []

    init(secret: String) {
        self.secret = secret
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let response = CBMutableCharacteristic(
            type: Door.response,
            properties: .write,
            value: nil,
            permissions: .writeable
        )
        let service = CBMutableService(type: Door.service, primary: true)
        service.characteristics = [challenge, response]
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [Door.service],
            CBAdvertisementDataLocalNameKey: "Lock",
        ])
    }
}

// MARK: - One challenge, one try

extension DoorLock {
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        let octets = makeChallenge()
        challenges[central.identifier] = octets
        peripheral.updateValue(octets, for: challenge, onSubscribedCentrals: [central])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let request = requests.first else { return }
        let key = request.central.identifier
        // Taken away before it is compared: a second guess needs another challenge.
        guard let octets = challenges.removeValue(forKey: key),
            Door.isResponse(request.value ?? Data(), to: octets, secret: secret)
        else { return peripheral.respond(to: request, withResult: .insufficientAuthorization) }
        peripheral.respond(to: request, withResult: .success)
        openers.insert(key)
        onChange(true)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        challenges[central.identifier] = nil
        guard openers.remove(central.identifier) != nil, openers.isEmpty else { return }
        onChange(false)
    }
}

// MARK: - The key

/// A key that opens its lock whenever the two are near each other.
final class DoorKey: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// Called with what the lock said to the response.
    var onVerdict: (Error?) -> Void = { _ in }
    private let respond: (Data) -> Data
    private var lock: CBPeripheral?
    private var central: CBCentralManager?

    /// - Parameter respond: The response to a challenge.
    init(respond: @escaping (Data) -> Data) {
        self.respond = respond
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [Door.service]) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        lock = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([Door.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        central.connect(peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for characteristic in service.characteristics ?? [] where characteristic.uuid == Door.challenge {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        let target = characteristic.service?.characteristics?.first { $0.uuid == Door.response }
        guard let target, let challenge = characteristic.value else { return }
        peripheral.writeValue(respond(challenge), for: target, type: .withResponse)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
        onVerdict(error)
    }
}
"""#,
        "MagicBall.swift": #"""
// Lesson 3: the periphery. A ball publishes its service, shows itself, takes questions and notifies answers.

import CoreBluetooth
import Foundation

// MARK: - The ball

/// A Magic 8-Ball.
final class MagicBall: NSObject {
    let name: String
    /// How the ball finds its answer.
    var answer: (String) -> String = { _ in Bool.random() ? "Yes." : "Ask again later." }
    /// What the ball says to a question that was written to it.
    var judge: (String) -> CBATTError.Code = { _ in .success }
    /// Who is notified of an answer to a central; `nil` for all that have subscribed.
    var recipients: (CBCentral) -> [CBCentral]? = { _ in nil }
    /// What a central needs before it may ask.
    private let permissions: CBAttributePermissions
    private var answerCharacteristic: CBMutableCharacteristic?
    private var manager: CBPeripheralManager?

    init(name: String, permissions: CBAttributePermissions = .writeable) {
        self.name = name
        self.permissions = permissions
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }
}

// MARK: - The service

extension MagicBall: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let question = CBMutableCharacteristic(
            type: EightBall.question,
            properties: [.write, .writeWithoutResponse],
            value: nil,
            permissions: permissions
        )
        let answer = CBMutableCharacteristic(
            type: EightBall.answer,
            properties: .notify,
            value: nil,
            permissions: .readable
        )
        let service = CBMutableService(type: EightBall.service, primary: true)
        service.characteristics = [question, answer]
        answerCharacteristic = answer
        peripheral.removeAllServices()
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        guard error == nil else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [EightBall.service],
            CBAdvertisementDataLocalNameKey: name,
        ])
    }
}

// MARK: - Questions in, answers out

extension MagicBall {
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let request = requests.first, let answerCharacteristic else { return }
        let question = String(decoding: request.value ?? Data(), as: UTF8.self)
        let verdict = judge(question)
        peripheral.respond(to: request, withResult: verdict)
        guard verdict == .success else { return }
        peripheral.updateValue(
            Data(answer(question).utf8),
            for: answerCharacteristic,
            onSubscribedCentrals: recipients(request.central)
        )
    }
}
"""#,
        "ManyDevices.swift": #"""
// Lesson 6: several devices. One central asks all balls around it, and one ball has several centrals.

import CoreBluetooth
import Foundation

// MARK: - One question to every ball

/// Asks all balls the same, and collects what they say.
final class Survey {
    /// Called with the name of a ball and what it said.
    var onOpinion: (String, String) -> Void = { _, _ in }
    private let asker: Asker

    init(_ question: String, clock: @escaping (TimeInterval, @escaping () -> Void) -> Void) {
        asker = Asker(clock: clock)
        asker.onReady = { [unowned self] in asker.ask(question, of: $0) }
        asker.onAnswer = { [unowned self] in onOpinion($0.peripheral.name ?? "?", $1) }
        asker.onError = { [unowned self] in onOpinion($0.peripheral.name ?? "?", "\($1)") }
    }
}

// MARK: - An answer for the one who asked

extension MagicBall {
    /// Notifies an answer to the central alone whose question it answers.
    func answerInPrivate() {
        recipients = { [$0] }
    }
}
"""#,
        "Messages.swift": #"""
// Lesson 7: messages in pieces. A message is a property list; where it is longer than a value may be, it is cut.

import CoreBluetooth
import Foundation

// MARK: - Pieces

/// A message, cut and put together. Each piece begins with an octet: 1 where more pieces follow, else 0.
struct Pieces {
    /// What a peer may make this device keep, in octets.
    static let longestMessage = 4_096
    private var octets = Data()

    /// The pieces of a message, each of at most `limit` octets.
    static func cut(_ message: [String: String], limit: Int) throws -> [Data] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let octets = try encoder.encode(message)
        let length = max(1, limit - 1)
        return stride(from: 0, to: octets.count, by: length).map { start in
            let end = min(start + length, octets.count)
            return Data([end < octets.count ? 1 : 0]) + octets[start..<end]
        }
    }

    /// Takes a piece; gives the message where that was the last one.
    mutating func take(_ piece: Data) -> [String: String]? {
        // Of a message that is too long nothing more is kept, up to its last piece.
        if octets.count <= Pieces.longestMessage { octets += piece.dropFirst() }
        guard piece.first == 0 else { return nil }
        defer { octets = Data() }
        guard octets.count <= Pieces.longestMessage else { return nil }
        // Decoded as what it has to be, and as nothing else: these octets come from another device.
        return try? PropertyListDecoder().decode([String: String].self, from: octets)
    }
}

// MARK: - Who speaks

/// The UUIDs of the messenger.
enum Messenger {
    static let service = CBUUID(string: "0CDBE648-EED0-11E6-BC64-92361F002671")
    static let messages = CBUUID(string: "199AB74C-EED0-11E6-BC64-92361F002672")
}

/// Says a message to everybody who subscribes.
final class Speaker: NSObject, CBPeripheralManagerDelegate {
    private let message: [String: String]
    private let messages = CBMutableCharacteristic(
        type: Messenger.messages,
        properties: .notify,
        value: nil,
        permissions: .readable
    )
    private var manager: CBPeripheralManager?
    /// What is still to be sent, the oldest piece first.
    private var waiting: [(piece: Data, listener: CBCentral)] = []

    init(_ message: [String: String]) {
        self.message = message
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Messenger.service, primary: true)
        service.characteristics = [messages]
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [Messenger.service],
            CBAdvertisementDataLocalNameKey: "Speaker",
        ])
    }
}

// MARK: - As fast as the listener takes it

extension Speaker {
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        let pieces = try? Pieces.cut(message, limit: central.maximumUpdateValueLength)
        waiting += (pieces ?? []).map { ($0, central) }
        sendWaiting()
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        waiting.removeAll { $0.listener == central }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        sendWaiting()
    }

    private func sendWaiting() {
        while let next = waiting.first, let manager {
            let isTaken = manager.updateValue(next.piece, for: messages, onSubscribedCentrals: [next.listener])
            // The transmit queue is full; the delegate is called when there is space.
            guard isTaken else { return }
            waiting.removeFirst()
        }
    }
}

// MARK: - Who listens

/// Finds a speaker and hears its messages.
final class Listener: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// Called with each message.
    let onMessage: ([String: String]) -> Void
    var speaker: CBPeripheral?
    private var central: CBCentralManager?
    private var pieces = Pieces()

    /// - Parameter identifier: Under which name the system preserves the manager; lesson 9 needs one.
    init(restoreIdentifier identifier: String? = nil, onMessage: @escaping ([String: String]) -> Void) {
        self.onMessage = onMessage
        super.init()
        let options = identifier.map { [CBCentralManagerOptionRestoreIdentifierKey: $0] }
        central = CBCentralManager(delegate: self, queue: nil, options: options)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn, speaker == nil else { return }
        central.scanForPeripherals(withServices: [Messenger.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        speaker = peripheral
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        pieces = Pieces()
        peripheral.delegate = self
        peripheral.discoverServices([Messenger.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([Messenger.messages], for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for characteristic in service.characteristics ?? [] {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard error == nil, let message = pieces.take(characteristic.value ?? Data()) else { return }
        onMessage(message)
    }
}
"""#,
        "Pairing.swift": #"""
// Lesson 11: pairing by code. Nothing is called to pair: a permission demands it, and the two users see to the rest.

import CoreBluetooth

// MARK: - A ball for friends

extension MagicBall {
    /// A ball that takes questions over an encrypted connection alone.
    static func forFriends(name: String) -> MagicBall {
        MagicBall(name: name, permissions: .writeEncryptionRequired)
    }
}

// MARK: - The user of the ball

/// Shows the code that the other user has to enter.
final class CodeDisplay: PairingAgent {
    let capabilities = PairingCapabilities.display
    private let show: @Sendable (String) -> Void

    init(show: @escaping @Sendable (String) -> Void) {
        self.show = show
    }

    func pairing(_ prompt: PairingPrompt) {
        switch prompt.kind {
        case .showCode(let code): show(code)
        // Keys that are there are not replaced without a user who says so.
        case .pair(let replacesBond): prompt.confirm(!replacesBond)
        case .enterCode, .compareCode: break
        }
    }
}

// MARK: - The user of the phone

/// Asks the user for the code that the other device shows.
final class CodeEntry: PairingAgent {
    let capabilities = PairingCapabilities.keyboard
    private let readCode: @Sendable () -> String?

    init(readCode: @escaping @Sendable () -> String?) {
        self.readCode = readCode
    }

    func pairing(_ prompt: PairingPrompt) {
        switch prompt.kind {
        case .enterCode: prompt.enter(readCode())
        case .pair(let replacesBond): prompt.confirm(!replacesBond)
        case .showCode, .compareCode: break
        }
    }
}
"""#,
        "Restoration.swift": #"""
// Lesson 9: restoration. The system has ended the app; what it had asked for goes on, and comes back to it.

import CoreBluetooth

// MARK: - What the app had

extension Listener {
    func centralManager(_ central: CBCentralManager, willRestoreState state: [String: Any]) {
        let peripherals = state[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral]
        // Kept, and given its delegate, before the first event comes.
        speaker = peripherals?.first
        speaker?.delegate = self
    }
}
"""#,
    ]
}
