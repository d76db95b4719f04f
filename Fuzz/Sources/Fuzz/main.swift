// libFuzzer's entry point: one input after another, for the target that FUZZ_TARGET names. A finding is a
// trap, an endless loop, excessive memory, or an app that can no longer be used.

import CLibFuzzer
import Foundation

/// The target of the fuzzer.
enum Target: String {
    /// A Core Bluetooth app, by the data of its peer's host.
    case peer
    /// A host, by the packets of its controller.
    case controller
    /// Virtual controllers, and an app on the same air, by the packets of a host to its controller.
    case host
    /// A Security Manager, in either role, by the commands of its peer while they pair.
    case pairing
    /// The decoders.
    case octets

    /// The target of this process.
    static let current: Target = {
        let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
        guard let target = Target(rawValue: name) else {
            print("FUZZ_TARGET names no target; start this with: bash Fuzz/run")
            exit(2)
        }
        return target
    }()

    func run(_ input: Input) {
        switch self {
        case .peer: Scenario(faultsIn: .dataToController, input).run()
        case .controller: Scenario(faultsIn: .allFromController, input).run()
        case .host: Scenario(faultsIn: .allToController, input).run()
        case .pairing: PairingScenario(input).run()
        case .octets: Decoders.run(input)
        }
    }
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
    LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        Target.current.run(Input(Array(UnsafeBufferPointer(start: start, count: count))))
        return 0
    }
)
