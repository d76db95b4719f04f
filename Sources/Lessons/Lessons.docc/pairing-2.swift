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
