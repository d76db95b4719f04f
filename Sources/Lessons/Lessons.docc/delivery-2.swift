extension MagicBall {
    /// Takes only what ends with a question mark.
    func insistOnQuestions() {
        judge = { $0.hasSuffix("?") ? .success : .unlikelyError }
    }
}
