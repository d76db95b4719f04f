// Lesson 5: errors. Whatever happens to a question, the app learns it once, in a word that it can show.

import CoreBluetooth
import Foundation

// MARK: - What can go wrong

/// Why a question got no answer.
enum AskingError: Error {
    /// The ball cannot be reached.
    case offline
    /// The ball is still working on another question.
    case busy
    /// The ball wants a question mark.
    case questionPlease
    /// The ball was silent for too long.
    case noAnswer
    /// Anything else.
    case failed(Error)

    /// Maps an error of Core Bluetooth.
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

    /// Reports the loss, and requests the connection again. The request has no time limit.
    private func lose(_ peripheral: CBPeripheral, _ central: CBCentralManager) {
        onLoss(peripheral)
        central.connect(peripheral)
    }
}

// MARK: - One word for each question

/// Asks questions of all balls in range.
final class Asker {
    /// How long a ball may take to answer, in seconds.
    static let timeLimit: TimeInterval = 2
    /// Called with each ball that can be asked.
    var onReady: (Ball) -> Void = { _ in }
    /// Called with each answer.
    var onAnswer: (Ball, String) -> Void = { _, _ in }
    /// Called with each question that got no answer.
    var onError: (Ball, AskingError) -> Void = { _, _ in }

    private let finder = BallFinder()
    private let clock: (TimeInterval, @escaping () -> Void) -> Void
    private var balls: [Ball] = []
    /// The number of the pending question of each ball.
    private var waiting: [ObjectIdentifier: Int] = [:]
    private var count = 0

    /// - Parameter clock: Calls a function after some seconds, as `DispatchQueue.main.asyncAfter` does.
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

    /// Ends a question. Whatever arrives later, such as a late answer, belongs to no question.
    private func finish(_ ball: Ball, _ result: Result<String, AskingError>) {
        guard waiting.removeValue(forKey: ObjectIdentifier(ball)) != nil else { return }
        switch result {
        case .success(let answer): onAnswer(ball, answer)
        case .failure(let error): onError(ball, error)
        }
    }
}
