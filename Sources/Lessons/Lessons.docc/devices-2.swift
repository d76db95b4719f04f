extension MagicBall {
    /// Notifies an answer to the central alone whose question it answers.
    func answerInPrivate() {
        recipients = { [$0] }
    }
}
