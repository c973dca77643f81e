fn main(){ for t in std::env::args().skip(1) { println!("{t:?}"); firsthand::find::written(&t, &mut |w| println!("   {w:?}")); } }
