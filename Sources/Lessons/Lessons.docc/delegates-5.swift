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
