// Advertising as requested, on a controller that stops by itself.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Advertiser")
struct AdvertiserTests {
    /// Requests are A and B, and have numbers from 1 on.
    private struct Machine: ScriptedMachine {
        private var machine = Advertiser()

        mutating func perform(_ event: String, _ arguments: [String]) -> [String]? {
            switch event {
            case "start": _ = self.machine.start(Self.request(arguments[0]))
            // Every step succeeds until none is due.
            case "settle":
                var outcomes: [String] = []
                repeat { outcomes += self.completed(nil, isSettling: true) } while self.next() != nil
                return outcomes
            case "stop": self.machine.stop()
            case "ended": self.machine.ended()
            case "hold", "release": self.machine.isHeld = event == "hold"
            case "waits": return self.machine.waitForLink().map { ["started \($0)"] } ?? []
            case "ok": return self.completed(nil)
            case "refused": return self.completed(.refused(.commandDisallowed))
            case "excluded": return self.completed(.refused(.commandDisallowed), isExcluded: true)
            case "state": return [(self.machine.isOff ? "off" : "not off") + (self.machine.isWanted ? " wanted" : "")]
            default: return nil
            }
            return []
        }

        mutating func next() -> String? { self.machine.next().map(Self.text) }

        private mutating func completed(
            _ failure: LEHostError?,
            isExcluded: Bool = false,
            isSettling: Bool = false
        ) -> [String] {
            let (outcome, step) = self.machine.completed(failure, isExcluded: isExcluded)
            let outcomes =
                switch outcome {
                case .started(let number): ["started \(number)"]
                case .refused(let number, let error): ["refused \(number) \(error.status.rawValue.hexDigits)"]
                case .ended(let error): ["ended \(error.status.rawValue.hexDigits)"]
                case nil: [String]()
                }
            guard isSettling else { return outcomes + (step.map { [Self.text($0)] } ?? []) }
            return outcomes + (step == nil ? [] : self.completed(nil, isSettling: true))
        }

        private static func request(_ name: String) -> AdvertisingParameters {
            AdvertisingParameters(data: ByteBuffer(string: name))
        }

        private static func text(_ step: Advertiser.Step) -> String {
            switch step {
            case .setParameters(let parameters): "parameters \(String(buffer: parameters.data))"
            case .setData(let data): "data \(String(buffer: data))"
            case .setScanResponse: "response"
            case .enable: "enable"
            case .disable: "disable"
            }
        }
    }

    private static let scripts = TitledScript.all(
        """
        ## GAP/CONN/UCON/BV-01-C sets parameters, data and scan response, then enables
        start A > parameters A
        ok      > data A
        ok      > response
        ok      > enable
        ok      > started 1

        ## enables advertising again without new data after a central connected, and reports the start once
        start A ; settle > started 1
        ended            > enable
        ok               >

        ## disables advertising before another request
        start A ; settle > started 1
        start B          > disable
        ok               > parameters B
        settle           > started 2

        ## disables again after a refusal, three times in all
        start A ; settle > started 1
        stop             > disable
        refused          > disable
        refused ; state  > disable, not off
        refused ; state  > off
        start A ; settle > started 2
        stop             > disable
        refused          > disable
        ok ; state       > off

        ## stops a start that is on its way
        start A > parameters A
        stop    >
        ok      > data A
        ok      > response
        ok      >

        ## reports a refusal once and does not repeat the request
        start A         > parameters A
        refused ; state > refused 1 0C, off
        start A         > parameters A
        ok              > data A
        ok              > response
        ok              > enable
        refused ; state > refused 2 0C, off

        ## reports the end of a request that was reported as started
        start A ; settle > started 1
        ended            > enable
        refused ; state  > ended 0C, off

        ## stays wanted if another role has the radio, and sets everything again when it has it itself
        start A          > parameters A
        excluded         > parameters A
        ok               > data A
        ok               > response
        ok               > enable
        excluded ; state > off wanted, parameters A
        settle           > started 1
        stop             > disable

        ## reports a request that waits for a link as started, once
        waits         >
        start A       > parameters A
        waits ; waits > started 1
        ok            > data A
        ok            > response
        ok            > enable
        ok            >
        start B       > disable
        ok            > parameters B

        ## reports nothing of a request that has a successor
        start A > parameters A
        ok      > data A
        ok      > response
        ok      > enable
        start B >
        ok      > disable
        ok      > parameters B
        ok      > data B
        ok      > response
        ok      > enable
        start A >
        refused > parameters A

        ## enables a request whose data the controller has without sending it again
        start A ; settle > started 1
        ended ; start A  > enable
        ok               > started 2
        ended ; start B  > parameters B

        ## does not advertise while it is held, then sets everything again and reports the start once
        start A ; settle > started 1
        hold             > disable
        ok ; state       > off wanted
        release          > parameters A
        ok               > data A
        ok               > response
        ok               > enable
        ok               >

        ## configures again what was configured before it was held
        start A ; settle > started 1
        ended ; hold     >
        release          > parameters A
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) { Machine.follow(script) }
}
