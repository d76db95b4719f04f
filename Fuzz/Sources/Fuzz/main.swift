// Where libFuzzer comes in: one input after the other, for the target that FUZZ_TARGET names. What is looked for is a
// trap, an endless loop, memory without end, or an app that cannot be used any more.

import CLibFuzzer
import Foundation

/// What is fuzzed.
enum Target: String {
    /// A Core Bluetooth app, by what its peer's host sends.
    case peer
    /// A host, by what its controller sends.
    case controller
    /// Virtual controllers, and an app on the same air, by what a host sends to its controller.
    case host
    /// A Security Manager, in either role, by what its peer sends while they pair.
    case pairing
    /// Everything that reads octets by itself.
    case octets

    /// The one that this process fuzzes.
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
