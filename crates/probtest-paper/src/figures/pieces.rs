//! Cutting a line at a height.

/// The pieces of a line that stay below a height, cut where it crosses.
pub(super) fn below(values: &[(f64, f64)], most: f64) -> Vec<Vec<(f64, f64)>> {
    let (mut pieces, mut piece) = (Vec::new(), Vec::new());
    for (place, &(x, y)) in values.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| values[before]);
        if let Some((x0, y0)) = before
            && (y0 <= most) != (y <= most)
        {
            piece.push((x0 + (x - x0) * (most - y0) / (y - y0), most));
        }
        if y <= most {
            piece.push((x, y));
        } else if !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
        }
    }
    pieces.push(piece);
    pieces.retain(|piece| piece.len() > 1);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_it_crosses_the_height() {
        let line = [(0.0, 2.0), (1.0, 0.0), (2.0, 0.0), (3.0, 4.0), (4.0, 0.5)];
        let pieces = below(&line, 1.0);
        assert_eq!(pieces.len(), 2);
        assert_eq!(pieces[0], [(0.5, 1.0), (1.0, 0.0), (2.0, 0.0), (2.25, 1.0)]);
        assert_eq!(pieces[1].last(), Some(&(4.0, 0.5)));
        assert_eq!(below(&line, 9.0), [line.to_vec()]);
        assert!(below(&[(0.0, 2.0), (1.0, 3.0)], 1.0).is_empty());
    }
}
