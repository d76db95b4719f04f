// Scanning as requested.

import BluetoothHCI
import Testing

@testable import BluetoothHost

@Suite("Scanner")
struct ScannerTests {
    /// A request is active and reports duplicates unless it is `filtered`.
    private struct Machine: ScriptedMachine {
        private var machine = Scanner()

        mutating func perform(_ event: String, _ arguments: [String]) -> [String]? {
            switch event {
            case "start": self.machine.start(ScanParameters(filtersDuplicates: arguments == ["filtered"]))
            case "on":
                self.machine.start(ScanParameters(filtersDuplicates: arguments == ["filtered"]))
                while self.machine.next() != nil { while self.machine.completed(.success) != nil {} }
            case "stop": self.machine.stop()
            case "hold", "release": self.machine.isHeld = event == "hold"
            // The initiator wants to hear devices.
            case "needed", "unneeded": self.machine.setNeededByInitiator(event == "needed")
            case "links": self.machine.linksChanged()
            case "ok": return self.completed(.success)
            case "refused": return self.completed(.commandDisallowed)
            case "excluded": return self.completed(.commandDisallowed, isExcluded: true)
            case "state":
                let words = [
                    self.machine.isOff ? "off" : "not off", self.machine.isWanted ? "wanted" : nil,
                    self.machine.isNeeded ? "needed" : nil,
                ]
                return [words.compactMap { $0 }.joined(separator: " ")]
            default: return nil
            }
            return []
        }

        mutating func next() -> String? { self.machine.next().map(Self.text) }

        private mutating func completed(_ status: HCIErrorCode, isExcluded: Bool = false) -> [String] {
            self.machine.completed(status, isExcluded: isExcluded).map { [Self.text($0)] } ?? []
        }

        private static func text(_ step: Scanner.Step) -> String {
            func text(_ parameters: ScanParameters) -> String {
                (parameters.isActive ? "active" : "passive") + (parameters.filtersDuplicates ? " filtered" : "")
            }
            return switch step {
            case .setParameters(let parameters): "parameters \(text(parameters))"
            case .enable(let parameters): "enable \(text(parameters))"
            case .disable: "disable"
            }
        }
    }

    private static let scripts = TitledScript.all(
        """
        ## GAP/DISC/GENP/BV-01-C sets parameters, then enables
        start > parameters active
        ok    > enable active
        ok    >

        ## restarts for the same request, which empties the duplicate filter
        on filtered    >
        start filtered > disable
        ok             > parameters active filtered

        ## disables again after a refusal, three times in all
        on              >
        stop            > disable
        refused         > disable
        refused ; state > disable, not off
        refused ; state > off
        on ; stop       > disable
        refused         > disable
        ok ; state      > off

        ## does not repeat a refused request, and tries a new one, or the same one beside other links
        start   > parameters active
        refused >
        start   > parameters active
        ok      > enable active
        refused >
        links   > parameters active

        ## stops a start that is on its way
        start > parameters active
        stop  >
        ok    > enable active
        ok    > disable
        ok    >

        ## stays wanted if another role has the radio, whichever of its commands was refused for that
        start            > parameters active
        excluded         > parameters active
        ok               > enable active
        excluded ; state > off wanted needed, parameters active

        ## does not scan while it is held
        on         >
        hold       > disable
        ok ; state > off wanted needed
        release    > parameters active

        ## scans for the initiator, which hears every device again
        needed ; state > off needed, parameters passive
        ok             > enable passive
        ok             >
        start filtered > disable
        ok             > parameters active
        ok             > enable active
        ok             >
        unneeded       > disable
        ok             > parameters active filtered
        stop ; state   > not off

        ## does not change a scan for the initiator that reports everything anyway
        on       >
        needed   >
        unneeded >
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) { Machine.follow(script) }
}
