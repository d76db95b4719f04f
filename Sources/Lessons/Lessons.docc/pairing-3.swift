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
