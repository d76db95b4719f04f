import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Association models (Vol 3, Part H, 2.3.5.1)")
struct AssociationModelTests {
    /// Table 2.8: the rows are the responder's, the columns the initiator's IO capability. JW: Just Works. NC: Numeric
    /// Comparison. Pi, Pr: Passkey Entry, shown by the initiator or the responder. Pb: entered at both. Two entries:
    /// LE legacy pairing, LE Secure Connections.
    static let table28 = """
                        DisplayOnly DisplayYesNo KeyboardOnly NoInputNoOutput KeyboardDisplay
        DisplayOnly     JW          JW           Pr           JW              Pr
        DisplayYesNo    JW          JW/NC        Pr           JW              Pr/NC
        KeyboardOnly    Pi          Pi           Pb           JW              Pi
        NoInputNoOutput JW          JW           JW           JW              JW
        KeyboardDisplay Pi          Pi/NC        Pr           JW              Pi/NC
        """

    /// Table 2.6, LE legacy pairing, and table 2.7, LE Secure Connections: the rows are the responder's, the columns
    /// the initiator's OOB data flag. OOB: out of band. MITM: see the MITM flags.
    static let table26 = """
            no   yes
        no  MITM MITM
        yes MITM OOB
        """
    static let table27 = """
            no   yes
        no  MITM OOB
        yes OOB  OOB
        """

    static let capabilities: [(String, IOCapability)] = [
        ("DisplayOnly", .displayOnly), ("DisplayYesNo", .displayYesNo), ("KeyboardOnly", .keyboardOnly),
        ("NoInputNoOutput", .noInputNoOutput), ("KeyboardDisplay", .keyboardDisplay),
    ]

    static func cell(_ table: String, row: String, column: String) -> String {
        let lines = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        guard let line = lines.dropFirst().first(where: { $0[0] == row }), let index = lines[0].firstIndex(of: column)
        else { preconditionFailure("no row \(row) or column \(column)") }
        return line[index + 1]
    }

    static func model(_ cell: String) -> AssociationModel {
        switch cell {
        case "JW": .justWorks
        case "NC": .numericComparison
        case "Pi": .passkeyEntry(.initiatorDisplays)
        case "Pr": .passkeyEntry(.responderDisplays)
        case "Pb": .passkeyEntry(.bothEnter)
        case "OOB": .outOfBand
        default: preconditionFailure("\(cell) is no model")
        }
    }

    static func expected(
        initiator: (io: String, oob: Bool, mitm: Bool),
        responder: (io: String, oob: Bool, mitm: Bool),
        isSecureConnections: Bool
    ) -> AssociationModel {
        let first = self.cell(
            isSecureConnections ? self.table27 : self.table26,
            row: responder.oob ? "yes" : "no",
            column: initiator.oob ? "yes" : "no"
        )
        guard first == "MITM" else { return self.model(first) }
        guard initiator.mitm || responder.mitm else { return .justWorks }
        let both = self.cell(self.table28, row: responder.io, column: initiator.io).split(separator: "/")
        return self.model(String(isSecureConnections ? both[both.count - 1] : both[0]))
    }

    static func features(
        _ io: IOCapability = .noInputNoOutput,
        oob: Bool = false,
        mitm: Bool = false,
        secureConnections: Bool = false,
        keySize: Int = 16
    ) -> PairingFeatures {
        var authentication: AuthenticationRequirements = [.bonding]
        if mitm { authentication.insert(.mitm) }
        if secureConnections { authentication.insert(.secureConnections) }
        return PairingFeatures(
            ioCapability: io,
            hasOutOfBandData: oob,
            authentication: authentication,
            maximumKeySize: keySize,
            initiatorKeys: [],
            responderKeys: []
        )
    }

    @Test("follows the tables for every combination of IO capabilities and of OOB, MITM and Secure Connections flags")
    func everyCombination() {
        let flags = [false, true]
        for (initiatorName, initiator) in Self.capabilities {
            for (responderName, responder) in Self.capabilities {
                for bits in 0..<64 {
                    let bit = { (index: Int) in flags[bits >> index & 1] }
                    let request = Self.features(initiator, oob: bit(0), mitm: bit(1), secureConnections: bit(2))
                    let response = Self.features(responder, oob: bit(3), mitm: bit(4), secureConnections: bit(5))
                    let expected = Self.expected(
                        initiator: (initiatorName, bit(0), bit(1)),
                        responder: (responderName, bit(3), bit(4)),
                        isSecureConnections: bit(2) && bit(5)
                    )
                    let model = AssociationModel(request: request, response: response)
                    #expect(model == expected, "\(initiatorName), \(responderName), flags \(bits)")
                }
            }
        }
    }
}
