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
